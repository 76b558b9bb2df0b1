// At the end of an assembly file: what -fcf-protection says of compiled ones. A program is marked for indirect branch
// tracking only if all that is linked into it is. Never for shadow stacks: a stolen continuation returns where its thread
// was never called from, and one object without that mark keeps the whole program from asking for them.
#if defined(__CET__) && (__CET__ & 1)
.section.note.gnu.property, "a".p2align 3
                                .long 4   // bytes of the name
                                .long 16  // bytes of the description
                                .long 5   // NT_GNU_PROPERTY_TYPE_0
                                .string "GNU"
                                .long 0xc0000002  // GNU_PROPERTY_X86_FEATURE_1_AND
                                .long 4           // bytes of the value
                                .long 1           // GNU_PROPERTY_X86_FEATURE_1_IBT
                                .long 0           // to a multiple of eight
#endif
