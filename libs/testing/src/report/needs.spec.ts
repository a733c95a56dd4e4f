import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { installDebianPackage } from '#platform/debian/install-package';
import { MissingInCi, programsIn } from './needs.js';

const ROOT_ON_DEBIAN = { isRoot: true, isDebian: true };
const WANTED = [{ program: 'umoci', debian: 'umoci-package' }, { program: 'kubectl' }];

describe('a program that a test needs', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'flotilla-needs-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

  const addProgram = async (name: string, script: string) => {
    await writeFile(join(folder, name), `#!/bin/sh\n${script}\n`);
    await chmod(join(folder, name), 0o755);
  };
  /** On a machine that has the programs of the folder alone. */
  const asked = (env: Record<string, string>, machine = ROOT_ON_DEBIAN) =>
    programsIn(
      { PATH: folder, ...env },
      (name, inEnv) => installDebianPackage(name, inEnv, () => undefined, machine),
      WANTED,
    );
  const NOT_RUN = { isThere: false, what: 'umoci and kubectl (apt-get install umoci-package)' };

  it('is not installed on a machine of a developer', async () => {
    await addProgram('apt-get', 'exit 1');
    for (const env of [{}, { CI: 'false' }, { CI: '' }]) expect(await asked(env)).toEqual(NOT_RUN);
  });

  it('is installed in CI', async () => {
    const made = `printf '#!/bin/sh\\n' > ${folder}/umoci; /bin/chmod 755 ${folder}/umoci`;
    await addProgram('apt-get', `[ "$1" = update ] || { ${made}; }`);
    expect(await asked({ CI: '1' })).toEqual({ isThere: false, what: 'kubectl' });
  });

  it('fails the tests in CI when it could have been installed', async () => {
    await addProgram('apt-get', '[ "$1" = update ] || { echo "no space left" >&2; exit 100; }');
    await expect(asked({ CI: 'true' })).rejects.toEqual(
      new MissingInCi(
        'these tests need umoci: apt-get install umoci-package failed: no space left. In CI they must run; install it there',
      ),
    );
  });

  it('leaves the tests out in CI where it cannot be installed', async () => {
    expect(await asked({ CI: '1' })).toEqual(NOT_RUN);
    await addProgram('apt-get', 'exit 100');
    expect(await asked({ CI: '1' }), 'no archive answers').toEqual(NOT_RUN);
    expect(await asked({ CI: '1' }, { ...ROOT_ON_DEBIAN, isRoot: false })).toEqual(NOT_RUN);
    expect(await asked({ CI: '1' }, { ...ROOT_ON_DEBIAN, isDebian: false })).toEqual(NOT_RUN);
  });
});
