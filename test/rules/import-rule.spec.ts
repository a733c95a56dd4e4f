import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const run = promisify(execFile);

/** A small house in which every import is allowed; breaches are planted on top. */
const HOUSE: Readonly<Record<string, string>> = {
  'libs/core/src/rule.ts': 'export const rule = 1;\n',
  'libs/platform/src/adapter.ts': "import { rule } from '#core/rule';\nexport const adapter = rule;\n",
  'libs/testing/src/twin.ts': "import { adapter } from '#platform/adapter';\nexport const twin = adapter;\n",
  'apps/applier/src/main.ts': "import { adapter } from '#platform/adapter';\nexport const applier = adapter;\n",
  'apps/cli/src/demo/demo.ts': "import { twin } from '#testing/twin';\nexport const demo = twin;\n",
};

const BREACHES = [
  { from: 'libs/core/src/upward.ts', to: '#platform/adapter', rule: 'core-is-pure' },
  { from: 'libs/core/src/reads-files.ts', to: 'node:fs', rule: 'core-has-no-io' },
  { from: 'libs/core/src/nowhere.ts', to: './nothing.js', rule: 'resolvable' },
  { from: 'libs/platform/src/upward.ts', to: '../../../apps/applier/src/main.js', rule: 'platform-below-apps' },
  { from: 'libs/testing/src/upward.ts', to: '../../../apps/applier/src/main.js', rule: 'testing-below-apps' },
  { from: 'apps/catalog-poller/src/sideways.ts', to: '../../applier/src/main.js', rule: 'apps-stay-apart' },
  { from: 'apps/applier/src/uses-twin.ts', to: '#testing/twin', rule: 'testing-is-for-tests' },
] as const;

describe('the import rule', () => {
  let house: string;

  beforeAll(async () => {
    house = await mkdtemp(join(ROOT, '.import-rule-'));
    await cp(join(ROOT, '.dependency-cruiser.cjs'), join(house, '.dependency-cruiser.cjs'));
    await cp(join(ROOT, 'package.json'), join(house, 'package.json'));
    for (const [file, text] of Object.entries(HOUSE)) await put(file, text);
  });
  afterAll(() => rm(house, { recursive: true, force: true }));

  async function put(file: string, text: string): Promise<void> {
    await mkdir(dirname(join(house, file)), { recursive: true });
    await writeFile(join(house, file), text);
  }

  /** What the checker prints; its exit code is in `code`. */
  async function check(): Promise<Readonly<{ code: number; text: string }>> {
    const cruiser = join(ROOT, 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs');
    const command = [cruiser, '--config', '.dependency-cruiser.cjs', 'apps', 'libs'];
    return run(process.execPath, command, { cwd: house }).then(
      ({ stdout }) => ({ code: 0, text: stdout }),
      (error: { code: number; stdout: string }) => ({ code: error.code, text: error.stdout }),
    );
  }

  it('is kept by a house without a breach, and the checker sees its files and arrows', async () => {
    const { code, text } = await check();
    expect(text).toContain('5 modules, 4 dependencies cruised');
    expect(code).toBe(0);
  });

  it('finds every breach, each by the name of its rule', async () => {
    for (const { from, to } of BREACHES) {
      await put(from, `import * as other from '${to}';\nexport const breach = other;\n`);
    }
    const { code, text } = await check();
    for (const { from, rule } of BREACHES) expect(text).toContain(`error ${rule}: ${from}`);
    expect(code).toBe(BREACHES.length);
  });
});
