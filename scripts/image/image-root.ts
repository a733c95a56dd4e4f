import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { neededBy } from './needed-libraries.ts';

// Usage: node scripts/image/image-root.ts BASE TARGET, in the build of the image. Copies Node and the files
// it loads from a base image to a root of its own: no shell, no package manager, no compiler. Nothing of the
// base runs, so that it may be of another processor.

const [base = '', target = ''] = process.argv.slice(2);
const NODE = 'usr/local/bin/node';

/** Taken if the base has it: names of hosts on older systems, authorities, the system's name, licences. */
const MORE_LIBRARIES = ['libnss_dns.so.2', 'libnss_files.so.2', 'libresolv.so.2'];
const MORE_FILES = [
  'etc/ssl/certs/ca-certificates.crt',
  'etc/os-release',
  'usr/local/LICENSE',
  ...['libc6', 'libgcc-s1', 'libstdc++6', 'ca-certificates'].map((name) => `usr/share/doc/${name}/copyright`),
];
const ACCOUNTS = {
  'etc/passwd': 'root:x:0:0:root:/root:/sbin/nologin\nnode:x:1000:1000:node:/home/node:/sbin/nologin\n',
  'etc/group': 'root:x:0:\nnode:x:1000:\n',
  'etc/nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files dns\n',
};

/** Returns the file behind a path of the base; its links lead within the base. Undefined if there is none. */
function fileOf(path: string, links = 0): string | undefined {
  let real = '';
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  for (const [at, part] of parts.entries()) {
    if (part === '..') {
      real = real === '' ? '' : dirname(real).replace(/^\.$/, '');
      continue;
    }
    const next = real === '' ? part : `${real}/${part}`;
    const link = linkAt(join(base, next));
    if (link === undefined) {
      real = next;
      continue;
    }
    if (links > 20) return undefined;
    const from = link.startsWith('/') ? link : `${real}/${link}`;
    return fileOf([from, ...parts.slice(at + 1)].join('/'), links + 1);
  }
  return existsSync(join(base, real)) ? real : undefined;
}

function linkAt(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

/** Returns the folders that the loader searches; on Debian a folder of the processor comes first. */
function libraryFolders(): readonly string[] {
  const libraries = fileOf('usr/lib');
  const ofProcessor =
    libraries === undefined ? [] : readdirSync(join(base, libraries)).filter((name) => name.endsWith('-linux-gnu'));
  return [...ofProcessor.map((name) => `usr/lib/${name}`), 'lib', 'usr/lib', 'lib64', 'usr/lib64'];
}

const folders = libraryFolders();
const libraryPath = (name: string): string | undefined =>
  folders.map((folder) => `${folder}/${name}`).find((path) => fileOf(path) !== undefined);

function put(path: string, from = path): boolean {
  const file = fileOf(from);
  if (file === undefined) return false;
  mkdirSync(dirname(join(target, path)), { recursive: true });
  copyFileSync(join(base, file), join(target, path));
  return true;
}

const taken = new Set<string>();

/** Copies a program or a library, and the libraries that it needs in turn. Libraries lie in one folder. */
function takeProgram(path: string, at = path): void {
  if (taken.has(at)) return;
  taken.add(at);
  if (!put(at, path)) throw new Error(`the base image has no ${path}`);
  const { loader, libraries } = neededBy(readFileSync(join(target, at)));
  if (loader !== undefined) takeProgram(loader, loader.replace(/^\//, ''));
  for (const name of libraries) takeLibrary(name);
}

function takeLibrary(name: string): void {
  const path = libraryPath(name);
  if (path === undefined) throw new Error(`the base image has no library ${name}`);
  // The loader is found by its own path, and is named as a library too.
  takeProgram(path, `usr/lib/${basename(name)}`);
}

for (const folder of ['usr/lib', 'usr/lib64', 'etc', 'root', 'proc', 'sys', 'dev', 'run', 'tmp']) {
  mkdirSync(join(target, folder), { recursive: true });
}
takeProgram(NODE);
chmodSync(join(target, NODE), 0o755);
for (const name of MORE_LIBRARIES) if (libraryPath(name) !== undefined) takeLibrary(name);
for (const path of MORE_FILES) put(path);
for (const [path, content] of Object.entries(ACCOUNTS)) writeFileSync(join(target, path), content);
chmodSync(join(target, 'tmp'), 0o1777);
console.log(`${taken.size} programs and libraries of ${base}`);
