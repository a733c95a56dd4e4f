// The `flotilla` command as one file (Node's single executable application): Node runs this file, which unpacks the command
// below the user's cache directory once and loads it from there. Only what Node itself brings can be required here.
const { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, renameSync, rmSync, writeSync } = require('node:fs');
const { createRequire } = require('node:module');
const { homedir, tmpdir } = require('node:os');
const { basename, dirname, isAbsolute, join } = require('node:path');
const { getAsset, getRawAsset } = require('node:sea');
const { gunzipSync } = require('node:zlib');

/** Name of the unpacked folder: the version, and what the content is. */
const NAME = getAsset('name', 'utf8');

/** Writes every file of the package into a folder that exists. */
function unpackInto(folder) {
  const packed = gunzipSync(new Uint8Array(getRawAsset('package')));
  const end = packed.indexOf('\n');
  let at = end + 1;
  for (const [path, size] of JSON.parse(packed.toString('utf8', 0, end))) {
    const place = join(folder, path);
    mkdirSync(dirname(place), { recursive: true });
    const file = openSync(place, 'wx', 0o600);
    try {
      for (let written = 0; written < size; ) written += writeSync(file, packed, at + written, size - written);
    } finally {
      closeSync(file);
    }
    at += size;
  }
}

/** The unpacked command in the user's cache. Whoever is interrupted or second leaves nothing that is half done. */
function unpackedInCache() {
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'flotilla', 'command');
  if (!isAbsolute(cache)) throw new Error(`${cache} is not absolute`);
  const folder = join(cache, NAME);
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true, mode: 0o700 });
  const work = mkdtempSync(join(cache, '.unpacking-'));
  try {
    unpackInto(work);
    renameSync(work, folder);
  } catch (error) {
    rmSync(work, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

/** For a home that cannot be written: a temporary folder, which goes with this process. */
function unpackedForThisRun() {
  const folder = mkdtempSync(join(tmpdir(), 'flotilla-command-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  unpackInto(folder);
  return folder;
}

function unpacked() {
  try {
    return unpackedInCache();
  } catch (inCache) {
    try {
      return unpackedForThisRun();
    } catch (inTemporary) {
      const reasons = `${inCache.message}; ${inTemporary.message}`;
      process.stderr.write(
        `error: flotilla could not unpack itself (30 MB): ${reasons}: set XDG_CACHE_HOME to a folder that you can write\n`,
      );
      process.exit(2);
    }
  }
}

const folder = unpacked();
// A program of the command that it starts as a process of its own: the file, then its arguments.
const program = process.argv[2] === '__program' ? process.argv.splice(2, 2)[1] : undefined;
// kubectl calls a link of this name for completion.
const completes = basename(process.argv0).startsWith('kubectl_complete-flotilla');
const load = createRequire(join(folder, 'package.json'))('./bin/load.cjs');
load(program ?? join(folder, 'bin', completes ? 'kubectl-complete.js' : 'flotilla.js'));
