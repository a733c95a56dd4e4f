import { execFile } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { advisoriesOf } from './supply-chain/advisories.js';
import { stableBill } from './supply-chain/bill-of-materials.js';
import { isLicenceAllowed } from './supply-chain/licences.js';
import { productionPackages } from './supply-chain/lock-file.js';
import { productionFolder } from './supply-chain/production-folder.js';

// `make audit`. Exit code 0: all is checked and nothing is found; 1: something is found; 3: nothing
// is found, but the registry does not answer questions about advisories (0 with --allow-unchecked,
// for CI without a network).

const BILL = 'dist/sbom.cdx.json';
const MOST_BYTES = 64 * 1024 * 1024;

const folder = productionFolder('.');

/** What npm prints, whatever its exit code: `npm audit` fails when it finds something. */
const npm = (...args: string[]): Promise<string> =>
  new Promise((resolve) => {
    const quick = ['--fetch-retries=0', '--fetch-timeout=20000', '--loglevel=error', '--update-notifier=false'];
    execFile('npm', [...args, ...quick], { cwd: folder, maxBuffer: MOST_BYTES }, (_error, stdout) => resolve(stdout));
  });

const lockFile = readFileSync('package-lock.json', 'utf8');
const packages = productionPackages(lockFile);
const [advisories, bill] = await Promise.all([
  npm('audit', '--package-lock-only', '--json').then(advisoriesOf),
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
    ? `advisories: ${advisories.found.length} found`
    : `advisories: NOT CHECKED, since the registry does not answer (${advisories.because}). Run it again with another registry`,
);
for (const line of found) console.error(line);
if (found.length > 0) process.exitCode = 1;
else if (!advisories.checked && !process.argv.includes('--allow-unchecked')) process.exitCode = 3;
