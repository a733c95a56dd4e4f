#!/usr/bin/env node
// The `flotilla` command of the npm package and of the kubectl plugin; in the package it is bin/flotilla.js. Older versions of Node
// must be able to read this file, so that they can say what is wrong.
import { accessSync, constants, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

const LEAST = 24;

if (Number(process.versions.node.split('.')[0]) < LEAST) {
  process.stderr.write(
    `error: flotilla needs Node ${LEAST} or newer, and this is ${process.version} (${process.execPath}): install it from https://nodejs.org\n`,
  );
  process.exit(2);
}

/** Compiled code is kept in the user's cache directory, which makes each start faster. */
async function keepCompiledCode() {
  const { NODE_DISABLE_COMPILE_CACHE: off, NODE_COMPILE_CACHE: named, XDG_CACHE_HOME: cache } = process.env;
  if (off || named) return;
  const folder = join(cache || join(homedir(), '.cache'), 'flotilla', 'compile');
  if (!isAbsolute(folder)) return;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    accessSync(folder, constants.W_OK);
  } catch {
    // A home that cannot be written costs time, nothing else.
    return;
  }
  const { enableCompileCache } = await import('node:module');
  enableCompileCache(folder);
}

await keepCompiledCode();
await import('../dist/programs/flotilla.js');
