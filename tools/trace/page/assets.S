// The texts that a page is made of, as they are in the files beside this one.
.macro text name file
  .globl nopal_trace_\name, nopal_trace_\name\()_end
nopal_trace_\name:
  .incbin "\file"
nopal_trace_\name\()_end:
.endm

  .section .rodata
  text html  page.html
  text css   page.css
  text lanes lanes.js
  text script page.js

  .section .note.GNU-stack, "", @progbits
