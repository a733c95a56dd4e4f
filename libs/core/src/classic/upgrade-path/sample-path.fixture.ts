import type { DesiredNamespace } from '../resolution/problem/resolution-problem.js';
import { sampleEntry, sampleNamespace, sampleSubscription } from '../resolution/sample-problem.fixture.js';

type Needs = Parameters<typeof sampleEntry>[2];

/** A version of a package that replaces the one `from`; without it nothing. */
export const version = (name: string, of: string, from = '', needs: Needs = []) =>
  sampleEntry(name, of, needs, from === '' ? {} : { replaces: `${name}.v${from}` });

/** A Subscription with the version that it has installed. */
export const at = (name: string, of: string) => {
  const installedCSV = `${name}.v${of}`;
  const properties = [{ type: 'olm.package', value: { packageName: name, version: of } }];
  return {
    subscription: sampleSubscription(name, { installedCSV, currentCSV: installedCSV }),
    csv: {
      ...{ name: installedCSV, version: of, replaces: '', phase: '' },
      propertiesAnnotation: JSON.stringify({ properties }),
      ...{ ownedApis: [], requiredApis: [] },
    },
  };
};

/** A namespace that has all of these installed. */
export const having = (...all: readonly ReturnType<typeof at>[]): DesiredNamespace =>
  sampleNamespace({ subscriptions: all.map(({ subscription }) => subscription), csvs: all.map(({ csv }) => csv) });
