// The texts that a page is made of, as they are in the files beside this one.
.macro text name file
  .globl nopal_page_\name, nopal_page_\name\()_end
nopal_page_\name:
  .incbin "\file"
nopal_page_\name\()_end:
.endm

  .section .rodata
  text html  page.html
  text css   page.css
  text tables tables.js
  text plots plots.js
  text predictions predictions.js
  text reducers reducers.js
  text promotion promotion.js
  text page  page.js

  .section .note.GNU-stack, "", @progbits
