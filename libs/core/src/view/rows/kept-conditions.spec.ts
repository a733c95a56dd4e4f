import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  OBSERVED_CONDITIONS,
  ROW_CONDITIONS,
  SUBSCRIPTION_CONDITIONS,
} from '../../classic/subscription/subscription-conditions.js';
import { observedSubscription } from '../../cluster/observation/observed-part.js';
import { KIND } from '../../kernel/api/kinds.js';
import { DEPRECATIONS, isDeprecated } from '../../kernel/conditions/deprecation-types.js';
import { rowPart } from './row-parts.js';

/** A Subscription with a condition of each of these types. */
const withConditions = (types: readonly string[], status: string) => ({
  ...KIND.Subscription,
  metadata: { name: 'kafka', namespace: 'team-a' },
  spec: { name: 'kafka', source: 'shelf', sourceNamespace: 'olm' },
  status: { conditions: types.map((type) => ({ type, status, reason: 'Because', message: 'a text' })) },
});

const typesIn = (value: unknown): readonly string[] =>
  ((value as { conditions?: { type: string }[] } | undefined)?.conditions ?? []).map(({ type }) => type);

const TYPES = Object.entries<Readonly<{ observed?: true; inRows?: true }>>(SUBSCRIPTION_CONDITIONS);

describe('a condition of a Subscription', () => {
  it.each(TYPES)('%s passes the projections that its table names', (type, { observed = false, inRows = false }) => {
    const object = withConditions([type, 'OfOthers'], 'True');
    expect(typesIn(observedSubscription(object)['status'])).toEqual(observed ? [type] : []);
    expect(typesIn(rowPart('Subscription', object, 'olm'))).toEqual(inRows ? [type] : []);
  });

  it('passes none of them while it is False', () => {
    const object = withConditions(
      TYPES.map(([type]) => type),
      'False',
    );
    expect(typesIn(observedSubscription(object)['status'])).toEqual([]);
    expect(rowPart('Subscription', object, 'olm')).toBeUndefined();
  });

  it('says that something is deprecated by each of the deprecation types, and these pass to rows', () => {
    const deprecating = TYPES.filter(([type]) => isDeprecated([{ type, status: 'True' }])).map(([type]) => type);
    expect(deprecating).toEqual([...DEPRECATIONS]);
    expect(deprecating.filter((type) => !ROW_CONDITIONS.has(type))).toEqual([]);
    expect(isDeprecated(DEPRECATIONS.map((type) => ({ type, status: 'False' })))).toBe(false);
  });

  it('is observed for the metrics where a resolution failed', () => {
    expect([...OBSERVED_CONDITIONS]).toEqual(['ResolutionFailed']);
  });

  it('passes to rows if the diagnosis of a Subscription reads it, so that console and status agree', () => {
    const source = readFileSync(new URL('../../cluster/diagnosis/diagnose-subscription.ts', import.meta.url), 'utf8');
    const read = [...source.matchAll(/conditionOf\(subscription, (?:'(\w+)'|BUNDLE_INCOMPLETE)\)/g)].map(
      ([, type = 'BundleIncomplete']) => type,
    );
    expect(read.length).toBeGreaterThanOrEqual(4);
    expect(read.filter((type) => !ROW_CONDITIONS.has(type))).toEqual([]);
  });
});
