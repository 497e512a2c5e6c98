// Black-Scholes where rate, volatility and maturity are the same for all options: roots, exponentials, logarithms and
// divisions of arguments in every thread, and little else.
//@ launch grid=4096 block=256
//@ arg price in f32[threads] range(20,30,1)
//@ arg call out f32[threads]
//@ arg strike f32 25
//@ arg rate f32 0.02
//@ arg volatility f32 0.3
//@ arg years f32 1.7
//@ small grid=2

extern "C" __global__ void option_terms_plain(const float *price, float *call, float strike, float rate,
                                              float volatility, float years) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  float root = sqrtf(years), spread = 1 / (volatility * root);
  float discount = strike * exp2f(-1.442695f * rate * years);
  float drift = (rate + 0.5f * volatility * volatility) * years / (volatility * root);
  float d1 = log2f(price[t] / strike) * 0.6931472f * spread + drift;
  float d2 = d1 - volatility * root;
  // a logistic curve for the normal distribution
  float n1 = 1 / (1 + exp2f(-2.4554f * d1)), n2 = 1 / (1 + exp2f(-2.4554f * d2));
  call[t] = price[t] * n1 - discount * n2;
}
