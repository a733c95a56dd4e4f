import { describe, expect, it } from 'vitest';
import { PollerAgreement } from './poller-agreement.js';

const SETTING = 'FLOTILLA_GLOBAL_CATALOG_NAMESPACE';
const values = (applier: string, poller: string) => ({ setting: SETTING, applier, poller });

function agreement() {
  const logged: string[] = [];
  const found = new PollerAgreement({ error: (_fields, message) => void logged.push(message) }, () => 2);
  return { found, logged };
}

describe('a poller with other settings than the applier', () => {
  it('degrades the applier, with setting, cluster and both values, until they agree', async () => {
    const { found } = agreement();
    expect(await found.check.check()).toMatchObject({ up: true });
    found.note('east', values('olm', 'catalogs'));
    expect(await found.check.check()).toEqual({
      up: true,
      degraded: true,
      detail: expect.stringContaining(`east: ${SETTING} is "olm" for the applier and "catalogs" for the poller`),
    });
    found.note('west', values('olm', 'catalogs'));
    expect(await found.check.check(), 'nothing is installed anywhere').toMatchObject({ up: false });
    for (const cluster of ['east', 'west']) found.note(cluster, values('olm', 'olm'));
    expect(await found.check.check()).toEqual({ up: true, detail: expect.any(String) });
  });

  it('is logged once, and again when the values change', () => {
    const { found, logged } = agreement();
    for (const poller of ['catalogs', 'catalogs', 'others', 'olm', 'others']) found.note('east', values('olm', poller));
    expect(logged.map((message) => /and "(\w+)"/.exec(message)?.[1])).toEqual(['catalogs', 'others', 'others']);
  });
});
