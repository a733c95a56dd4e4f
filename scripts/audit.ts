import { execFile } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type Advisories, advisoriesOf } from './supply-chain/advisories.js';
import { ageText, findInExport, UnreadableExport } from './supply-chain/advisory-export.js';
import { stableBill } from './supply-chain/bill-of-materials.js';
import { isLicenceAllowed } from './supply-chain/licences.js';
import { productionPackages } from './supply-chain/lock-file.js';
import { productionFolder } from './supply-chain/production-folder.js';

// `make audit`. Exit code 0: all is checked and nothing is found; 1: something is found; 3: nothing
// is found, but the registry does not answer questions about advisories (0 with --allow-unchecked,
// for CI without a network). With --advisories FILE an export of OSV is asked in place of the registry;
// 2: it cannot be read.

const BILL = 'dist/sbom.cdx.json';
const MOST_BYTES = 64 * 1024 * 1024;

const { values } = parseArgs({
  options: { 'allow-unchecked': { type: 'boolean', default: false }, advisories: { type: 'string' } },
});
const folder = productionFolder('.');

/** Returns npm's output for any exit code: `npm audit` fails when it finds something. */
const npm = (...args: string[]): Promise<string> =>
  new Promise((resolve) => {
    const quick = ['--fetch-retries=0', '--fetch-timeout=20000', '--loglevel=error', '--update-notifier=false'];
    execFile('npm', [...args, ...quick], { cwd: folder, maxBuffer: MOST_BYTES }, (_error, stdout) => resolve(stdout));
  });

const lockFile = readFileSync('package-lock.json', 'utf8');
const packages = productionPackages(lockFile);
let asked = '';

/** Ends the program if the export cannot be used: an audit that read nothing must not pass. */
function inExport(): Advisories {
  const file = values.advisories ?? '';
  try {
    const { found, records, newest } = findInExport(readFileSync(file, 'utf8'), packages.map(nameAndVersion));
    const age = ageText(newest, new Date());
    asked = ` in ${file}: ${records} advisories of npm, the newest of ${newest.slice(0, 10)}, ${age}`;
    return { checked: true, found };
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    const why = error instanceof UnreadableExport ? error.message : `cannot be read (${Object(error).code})`;
    console.error(`ADVISORIES: ${file} ${why}. Nothing was checked`);
    process.exit(2);
  }
}

function nameAndVersion({ id }: (typeof packages)[number]) {
  const at = id.lastIndexOf('@');
  return { name: id.slice(0, at), version: id.slice(at + 1) };
}

const [advisories, bill] = await Promise.all([
  values.advisories === undefined ? npm('audit', '--package-lock-only', '--json').then(advisoriesOf) : inExport(),
  npm('sbom', '--package-lock-only', '--sbom-format=cyclonedx'),
]);
rmSync(folder, { recursive: true, force: true });
writeFileSync(BILL, stableBill(bill, lockFile, { name: 'flotilla' }));

const found = [
  ...packages
    .filter(({ licence }) => !isLicenceAllowed(licence))
    .map(({ id, licence }) => `licence of ${id}: ${licence || 'none'} is not in scripts/supply-chain/licences.ts`),
  ...packages.flatMap(({ id, unpinned }) => (unpinned === undefined ? [] : [`${id} is not pinned: ${unpinned}`])),
  ...(advisories.checked ? advisories.found.map((one) => `advisory: ${one}`) : []),
];
const scripts = packages.filter(({ hasInstallScript }) => hasInstallScript).map(({ id }) => id);
console.log(`${packages.length} production packages: licences and hashes checked; bill of materials in ${BILL}`);
console.log(`install scripts, which are never run: ${scripts.join(', ') || 'none'}`);
console.log(
  advisories.checked
    ? `advisories: ${advisories.found.length} found${asked}`
    : `advisories: NOT CHECKED, since the registry does not answer (${advisories.because}). Run it again with another registry, or with an export: ADVISORIES=FILE`,
);
for (const line of found) console.error(line);
if (found.length > 0) process.exitCode = 1;
else if (!advisories.checked && !values['allow-unchecked']) process.exitCode = 3;
