//! For which GPUs is a file compiled? nvcc's `-arch`, `-code` and `-gencode` as machine code and PTX.

use anyhow::{Result, bail, ensure};

/// The machine code and PTX to generate, in the order in which they were requested.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Architectures {
    /// `sm_90`, and whether its PTX is embedded too.
    pub real: Vec<(String, bool)>,
    /// Of `-arch`, until `-code` or nothing comes.
    pub default: Option<String>,
    /// `-code` said what to make of it.
    is_coded: bool,
}

/// The architectures that nvcc 13 generates for `-arch=all` and `all-major`.
const ALL: &[&str] = &["75", "80", "86", "87", "88", "89", "90", "100", "103", "110", "120", "121"];
const ALL_MAJOR: &[&str] = &["75", "80", "90", "100", "110", "120"];

/// The oldest architecture that CUDA compiles for, since which release.
const OLDEST: &[(u32, u32)] = &[(13, 75), (12, 50), (11, 35)];

impl Architectures {
    /// An element of `-code`, or of the `code=` of `-gencode`.
    pub fn add_code(&mut self, name: &str) -> Result<()> {
        self.is_coded = true;
        match name.strip_prefix("compute_") {
            Some(number) => self.add_real(&format!("sm_{number}"), true),
            None => self.add_real(name, false),
        }
    }

    /// `-gencode arch=compute_90,code=[sm_90,compute_90]`.
    pub fn generate(&mut self, specification: &str) -> Result<()> {
        let Some((_, codes)) = specification.split_once("code=") else {
            if let Some(name) = specification.strip_prefix("arch=") {
                return self.add_code(name);
            }
            bail!("'-gencode {specification}' is not of the form arch=compute_N,code=sm_N");
        };
        let codes = codes.trim_matches(['[', ']', '"', '\'']);
        codes.split(',').map(|code| code.trim_matches(['"', '\'', ' '])).try_for_each(|code| self.add_code(code))
    }

    /// One GPU.
    pub fn add_real(&mut self, name: &str, has_ptx: bool) -> Result<()> {
        let is_known = name == "native"
            || name.strip_prefix("sm_").is_some_and(|rest| rest.trim_end_matches(['a', 'f']).parse::<u32>().is_ok());
        ensure!(is_known, "'{name}' is no architecture: it takes sm_N, compute_N or native");
        match self.real.iter_mut().find(|(known, _)| known == name) {
            Some((_, ptx)) => *ptx |= has_ptx,
            None => self.real.push((name.to_owned(), has_ptx)),
        }
        Ok(())
    }

    /// Once all flags are read: `-arch` alone means machine code and PTX.
    pub fn settle(&mut self) -> Result<()> {
        let Some(name) = self.default.take().filter(|_| !self.is_coded) else { return Ok(()) };
        let many = |numbers: &[&str], set: &mut Self| {
            let last = numbers.len() - 1;
            numbers.iter().enumerate().try_for_each(|(at, number)| set.add_real(&format!("sm_{number}"), at == last))
        };
        match name.as_str() {
            "all" => many(ALL, self),
            "all-major" => many(ALL_MAJOR, self),
            _ => self.add_real(&name.replace("compute_", "sm_"), true),
        }
    }

    /// Clang's flags. `usual` is what nvcc compiles for if nothing is said.
    pub fn flags(&self, usual: &str) -> Vec<String> {
        let mut flags = vec!["--no-cuda-include-ptx=all".to_owned()];
        for (name, has_ptx) in self.each(usual) {
            flags.push(format!("--offload-arch={name}"));
            if has_ptx && name != "native" {
                flags.push(format!("--cuda-include-ptx={name}"));
            }
        }
        flags
    }

    /// The first that is older than what the tree's ptxas compiles for, and the oldest that it does.
    pub fn too_old(&self, release: u32) -> Option<(&str, u32)> {
        let &(_, least) = OLDEST.iter().find(|(since, _)| release >= *since)?;
        let number = |name: &str| name.trim_start_matches("sm_").trim_end_matches(['a', 'f']).parse::<u32>().ok();
        let names = self.real.iter().map(|(name, _)| name.as_str());
        let mut old = names.filter(|name| number(name).is_some_and(|number| number < least));
        old.next().map(|name| (name, least))
    }

    /// Each architecture by itself, for output of one.
    pub fn each(&self, usual: &str) -> Vec<(String, bool)> {
        if self.real.is_empty() { vec![(usual.to_owned(), true)] } else { self.real.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generate_lists_what_it_says() {
        let mut set = Architectures::default();
        set.generate("arch=compute_80,code=sm_80").unwrap();
        set.generate("arch=compute_90,code=[sm_90,compute_90]").unwrap();
        set.settle().unwrap();
        assert_eq!(set.real, [("sm_80".to_owned(), false), ("sm_90".to_owned(), true)]);
        assert!(set.generate("arch=compute_90,code=frob").is_err());
        assert!(set.generate("frob").is_err());
    }

    #[test]
    fn gpus_that_are_too_old_are_found() {
        let mut set = Architectures::default();
        set.generate("arch=compute_90a,code=sm_90a").unwrap();
        assert_eq!(set.too_old(13), None);
        set.generate("arch=compute_60,code=sm_60").unwrap();
        assert_eq!(set.too_old(13), Some(("sm_60", 75)));
        assert_eq!(set.too_old(12), None);
        assert_eq!(Architectures::default().too_old(13), None);
    }

    #[test]
    fn arch_alone_means_code_and_ptx() {
        let mut set = Architectures { default: Some("sm_90a".to_owned()), ..Default::default() };
        set.settle().unwrap();
        assert_eq!(
            set.flags("sm_75"),
            ["--no-cuda-include-ptx=all", "--offload-arch=sm_90a", "--cuda-include-ptx=sm_90a"]
        );
        assert_eq!(Architectures::default().flags("sm_75")[1], "--offload-arch=sm_75");
    }

    #[test]
    fn code_replaces_the_default() {
        let mut set = Architectures { default: Some("compute_80".to_owned()), ..Default::default() };
        set.add_code("sm_86").unwrap();
        set.settle().unwrap();
        assert_eq!(set.real, [("sm_86".to_owned(), false)]);
    }
}
