// Search for pages opened from the disk, where browsers let a page load neither the index nor a worker.
// site/search_index.js holds the index as a script; the worker's script runs in a frame of its own.
