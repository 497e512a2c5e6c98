//! Which properties of values and types can be read?

use super::*;
use llvm_sys::LLVMValueKind;

mirror!(
    /** What kind of value a [`Value`] is; none of the others is matched on. */
    ValueKind of LLVMValueKind by kind_of {
        Argument = LLVMArgumentValueKind, Instruction = LLVMInstructionValueKind, Block = LLVMBasicBlockValueKind,
        Function = LLVMFunctionValueKind, GlobalVariable = LLVMGlobalVariableValueKind,
        GlobalAlias = LLVMGlobalAliasValueKind, ConstantInt = LLVMConstantIntValueKind,
        ConstantFp = LLVMConstantFPValueKind, ConstantNull = LLVMConstantPointerNullValueKind,
        ConstantZero = LLVMConstantAggregateZeroValueKind,
        ConstantData = LLVMConstantDataArrayValueKind | LLVMConstantDataVectorValueKind,
        ConstantAggregate = LLVMConstantArrayValueKind | LLVMConstantStructValueKind | LLVMConstantVectorValueKind,
        ConstantExpr = LLVMConstantExprValueKind, Undef = LLVMUndefValueValueKind,
        Poison = LLVMPoisonValueKind, InlineAsm = LLVMInlineAsmValueKind, Metadata = LLVMMetadataAsValueValueKind,
        Other = LLVMGlobalIFuncValueKind,
    }
);

/// Characters of the longest path to a member that is shown.
const MAX_MEMBER: usize = 64;

/// A member of a record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Member {
    /// `size.x`.
    pub path: String,
    /// Size of the record in bytes.
    pub record: u64,
    /// Whether the variable points to records, and is not one itself.
    pub is_pointer: bool,
}

impl<'m> Value<'m> {
    /// Name, empty when it has none.
    pub fn name(self) -> String {
        text!(LLVMGetValueName2(self.raw))
    }
    /// What the source calls it, where it has a name or debug information tells; empty otherwise.
    pub fn variable(self) -> String {
        let name = self.name();
        if name.is_empty() { text!(warpwise_variable_name(self.raw)) } else { name }
    }
    /// The member at an offset in bytes of the record that lies at this address, as far as debug information tells.
    pub fn member(self, offset: u64) -> Option<Member> {
        let mut path = [0u8; MAX_MEMBER];
        let (mut record, mut is_pointer) = (0, false);
        let length =
            get!(warpwise_member_name(self.raw, offset, path.as_mut_ptr(), path.len(), &mut record, &mut is_pointer));
        let path = String::from_utf8_lossy(path.get(..length)?).into_owned();
        (length > 0).then_some(Member { path, record, is_pointer })
    }
    /// A float constant's value, as exact as a double is.
    pub fn float_constant(self) -> Option<f64> {
        let mut loses = 0;
        (self.kind() == ValueKind::ConstantFp).then(|| get!(LLVMConstRealGetDouble(self.raw, &mut loses)))
    }
    /// Whether it has a name.
    pub fn has_name(self) -> bool {
        let mut len = 0;
        get!(LLVMGetValueName2(self.raw, &mut len));
        len != 0
    }
    /// The object's address, unique among live values: a key for maps.
    pub fn address(self) -> usize {
        self.raw as usize
    }
    /// The value's type.
    pub fn ty(self) -> Type<'m> {
        wrap!(Type, LLVMTypeOf(self.raw)).expect("every value has a type")
    }
    /// Which kind of value this is.
    pub fn kind(self) -> ValueKind {
        kind_of(get!(LLVMGetValueKind(self.raw))).unwrap_or(ValueKind::Other)
    }
    /// Whether it is the address of a stack object, or of a place in one.
    pub fn is_on_stack(self) -> bool {
        use LLVMOpcode::{LLVMAddrSpaceCast, LLVMAlloca, LLVMGetElementPtr};
        let inward = |at: &Inst<'m>| matches!(at.opcode(), LLVMGetElementPtr | LLVMAddrSpaceCast);
        let steps = successors(self.as_inst(), |at| inward(at).then(|| at.operand(0).as_inst()).flatten());
        steps.last().is_some_and(|at| at.opcode() == LLVMAlloca)
    }
    /// The table in constant memory that this address leads to, if it may leave it. See `src/ir/llvm/tables.cpp`.
    pub fn table_behind(self) -> Option<Value<'m>> {
        wrap!(Value, warpwise_table_behind(self.raw))
    }
    /// As an instruction, if it is one.
    pub fn as_inst(self) -> Option<Inst<'m>> {
        wrap!(Inst, LLVMIsAInstruction(self.raw))
    }
    /// As the instruction that it is known to be.
    pub(crate) fn as_known_inst(self) -> Inst<'m> {
        debug_assert!(self.as_inst().is_some());
        wrap!(Inst, self.raw).expect("handles are not null")
    }
    /// As a function, if it is one.
    pub fn as_function(self) -> Option<Function<'m>> {
        wrap!(Function, LLVMIsAFunction(self.raw))
    }
    /// Number of operands of an instruction, constant expression or constant aggregate.
    pub fn operand_count(self) -> u32 {
        get!(LLVMGetNumOperands(self.raw)).max(0) as u32
    }
    /// Operand `index`, which must be in range.
    pub fn operand(self, index: u32) -> Value<'m> {
        assert!(index < self.operand_count(), "operand index in range");
        wrap!(Value, LLVMGetOperand(self.raw, index)).expect("handles are not null")
    }
    /// The operands in LLVM's order.
    pub fn operands(self) -> impl DoubleEndedIterator<Item = Value<'m>> {
        (0..self.operand_count()).map(move |index| self.operand(index))
    }
    /// Value of an integer constant of at most 64 bits, zero-extended.
    pub fn const_u64(self) -> Option<u64> {
        let narrow = self.kind() == ValueKind::ConstantInt && self.ty().int_bits().is_some_and(|bits| bits <= 64);
        narrow.then(|| get!(LLVMConstIntGetZExtValue(self.raw)))
    }
    /// Value of an integer constant of at most 64 bits, sign-extended.
    pub fn const_i64(self) -> Option<i64> {
        self.const_u64()?;
        Some(get!(LLVMConstIntGetSExtValue(self.raw)))
    }
    /// Opcode of a constant expression.
    pub fn const_opcode(self) -> Option<LLVMOpcode> {
        (self.kind() == ValueKind::ConstantExpr).then(|| get!(LLVMGetConstOpcode(self.raw)))
    }
    /// Bits of a floating constant of at most 64 bits (half, bfloat, float, double), zero-extended.
    pub fn const_fp_bits(self) -> Option<u64> {
        if self.kind() != ValueKind::ConstantFp {
            return None;
        }
        let bits = match self.ty().kind() {
            LLVMTypeKind::LLVMHalfTypeKind | LLVMTypeKind::LLVMBFloatTypeKind => 16,
            LLVMTypeKind::LLVMFloatTypeKind => 32,
            LLVMTypeKind::LLVMDoubleTypeKind => 64,
            _ => return None,
        };
        let context = get!(LLVMGetTypeContext(self.ty().raw));
        let as_int = wrap!(Value, LLVMConstBitCast(self.raw, LLVMIntTypeInContext(context, bits)))?;
        as_int.const_u64()
    }
    /// Element `index` of a constant aggregate, data sequence or zero; `None` past the end.
    pub fn aggregate_element(self, index: u32) -> Option<Value<'m>> {
        wrap!(Value, LLVMGetAggregateElement(self.raw, index))
    }
    /// Text of a constant array of bytes, without the final NUL.
    pub fn const_text(self) -> Option<String> {
        let is_text = self.kind() == ValueKind::ConstantData && get!(LLVMIsConstantString(self.raw)) != 0;
        is_text.then(|| text!(LLVMGetAsString(self.raw)).trim_end_matches('\0').to_owned())
    }
    answers! {
        /// Whether it is the null value of its type.
        is_null = LLVMIsNull;
        /// Whether it is a constant of any kind, globals included.
        is_constant = LLVMIsConstant;
        /// Whether a global has only a declaration here.
        is_declaration = LLVMIsDeclaration;
        /// Whether inline assembly is marked `sideeffect` (volatile).
        asm_has_side_effects = LLVMGetInlineAsmHasSideEffects;
    }
    /// Whether a global has internal or private linkage.
    pub fn is_local(self) -> bool {
        matches!(get!(LLVMGetLinkage(self.raw)), LLVMLinkage::LLVMInternalLinkage | LLVMLinkage::LLVMPrivateLinkage)
    }
    /// Whether a global variable is `constant`.
    pub fn is_global_constant(self) -> bool {
        self.kind() == ValueKind::GlobalVariable && get!(LLVMIsGlobalConstant(self.raw)) != 0
    }
    /// Whether a global variable always has the contents of its initialiser: a constant that no program writes, either.
    pub fn is_table(self) -> bool {
        self.is_global_constant() && get!(LLVMIsExternallyInitialized(self.raw)) == 0
    }
    /// Initialiser of a global variable.
    pub fn initializer(self) -> Option<Value<'m>> {
        (self.kind() == ValueKind::GlobalVariable).then(|| wrap!(Value, LLVMGetInitializer(self.raw))).flatten()
    }
    /// Type of a global's contents.
    pub fn global_value_type(self) -> Option<Type<'m>> {
        wrap!(Type, LLVMGlobalGetValueType(self.raw))
    }
    /// Explicit alignment of a global, alloca, load or store in bytes; zero if none is written.
    pub fn explicit_align(self) -> u32 {
        get!(LLVMGetAlignment(self.raw))
    }
    /// The users of the value, in use-list order.
    pub fn users(self) -> impl Iterator<Item = Value<'m>> {
        let some = |at: LLVMUseRef| (!at.is_null()).then_some(at);
        let uses = successors(some(get!(LLVMGetFirstUse(self.raw))), move |&at| some(get!(LLVMGetNextUse(at))));
        uses.filter_map(|at| wrap!(Value, LLVMGetUser(at)))
    }
    /// Source element type of a GEP, instruction or constant expression; call it on GEPs only.
    pub fn gep_source_type(self) -> Type<'m> {
        wrap!(Type, LLVMGetGEPSourceElementType(self.raw)).expect("a GEP has a source element type")
    }
    /// The whole value as text.
    pub fn print(self) -> String {
        take_message(get!(LLVMPrintValueToString(self.raw)))
    }
    /// Text of inline assembly.
    pub fn asm_text(self) -> String {
        text!(LLVMGetInlineAsmAsmString(self.raw))
    }
    /// Constraint string of inline assembly.
    pub fn asm_constraints(self) -> String {
        text!(LLVMGetInlineAsmConstraintString(self.raw))
    }
    /// Operands of an MDNode wrapped as value.
    pub fn md_operands(self) -> Vec<Option<Value<'m>>> {
        let count = get!(LLVMGetMDNodeNumOperands(self.raw)) as usize;
        let mut raw = vec![std::ptr::null_mut(); count];
        get!(LLVMGetMDNodeOperands(self.raw, raw.as_mut_ptr()));
        raw.into_iter().map(|value| wrap!(Value, value)).collect()
    }
    /// Text of an MDString wrapped as value.
    pub fn md_string(self) -> Option<String> {
        let mut len = 0;
        let data = get!(LLVMGetMDString(self.raw, &mut len));
        (!data.is_null()).then(|| bytes_to_string(data, len as usize))
    }
}

impl<'m> Type<'m> {
    /// The object's address; types are unique, so equal types have equal addresses.
    pub fn address(self) -> usize {
        self.raw as usize
    }
    /// Which kind of type.
    pub fn kind(self) -> LLVMTypeKind {
        get!(LLVMGetTypeKind(self.raw))
    }
    /// Width of an integer type in bits, `None` for other types.
    pub fn int_bits(self) -> Option<u32> {
        (self.kind() == LLVMTypeKind::LLVMIntegerTypeKind).then(|| get!(LLVMGetIntTypeWidth(self.raw)))
    }
    /// Address space of a pointer type, `None` for other types.
    pub fn address_space(self) -> Option<u32> {
        (self.kind() == LLVMTypeKind::LLVMPointerTypeKind).then(|| get!(LLVMGetPointerAddressSpace(self.raw)))
    }
    /// Element type of an array or vector.
    pub fn element(self) -> Option<Type<'m>> {
        match self.kind() {
            LLVMTypeKind::LLVMArrayTypeKind
            | LLVMTypeKind::LLVMVectorTypeKind
            | LLVMTypeKind::LLVMScalableVectorTypeKind => wrap!(Type, LLVMGetElementType(self.raw)),
            _ => None,
        }
    }
    /// Number of elements of an array, vector or struct, zero for other types.
    pub fn length(self) -> u64 {
        match self.kind() {
            LLVMTypeKind::LLVMArrayTypeKind => get!(LLVMGetArrayLength2(self.raw)),
            LLVMTypeKind::LLVMVectorTypeKind | LLVMTypeKind::LLVMScalableVectorTypeKind => {
                u64::from(get!(LLVMGetVectorSize(self.raw)))
            }
            LLVMTypeKind::LLVMStructTypeKind => u64::from(get!(LLVMCountStructElementTypes(self.raw))),
            _ => 0,
        }
    }
    /// Type of a struct's element. The index must be in range.
    pub fn struct_element(self, index: u32) -> Type<'m> {
        assert!(self.kind() == LLVMTypeKind::LLVMStructTypeKind && u64::from(index) < self.length());
        wrap!(Type, LLVMStructGetTypeAtIndex(self.raw, index)).expect("index checked above")
    }
    /// Whether that size is one number: not of scalable vectors, nor of what holds one.
    pub fn has_fixed_size(self) -> bool {
        get!(warpwise_has_fixed_size(self.raw))
    }
    /// Return type of a function type.
    pub fn return_type(self) -> Option<Type<'m>> {
        (self.kind() == LLVMTypeKind::LLVMFunctionTypeKind).then(|| wrap!(Type, LLVMGetReturnType(self.raw))).flatten()
    }
    /// The type as text.
    pub fn print(self) -> String {
        take_message(get!(LLVMPrintTypeToString(self.raw)))
    }
}

/// A name with its sigil, quoted as the IR printer quotes it.
pub fn quote_name(sigil: char, name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '$' | '.' | '_');
    if !name.is_empty() && name.chars().all(plain) && !name.starts_with(|c: char| c.is_ascii_digit()) {
        return format!("{sigil}{name}");
    }
    let mut text = format!("{sigil}\"");
    for byte in name.bytes() {
        if (0x20..0x7f).contains(&byte) && byte != b'"' && byte != b'\\' {
            text.push(byte as char);
        } else {
            text.push_str(&format!("\\{byte:02X}"));
        }
    }
    text.push('"');
    text
}
