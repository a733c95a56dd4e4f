#!/usr/bin/env node
// kubectl calls it for "kubectl flotilla <TAB>"; in the package it is bin/kubectl-complete.js.
process.argv.splice(2, 0, '__complete', '--');
await import('./flotilla.js');
