import { describe, expect, it } from 'vitest';
import { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { type CrdViolation, validateCrdUpgrade } from '#core/v1/crd-upgrade/validate-crd-upgrade';
import { readRows } from './read-rows.js';

type Wanted = CrdViolation & Readonly<{ messagePrefixOnly?: boolean; messageInformative?: boolean }>;
type Row = Readonly<{ name: string; old: unknown; new: unknown; expected: { ok: boolean; violations: Wanted[] } }>;

const crd = (value: unknown): KubernetesObject =>
  KubernetesObject.parse({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', ...Object(value) });

/** Texts with Go's print of a structure in them are compared as far as ours can be the same. */
function comparable({ messagePrefixOnly, messageInformative, ...wanted }: Wanted) {
  if (messageInformative) return { ...wanted, message: expect.any(String) };
  return messagePrefixOnly ? { ...wanted, message: expect.stringMatching(`^${wanted.message}`) } : wanted;
}

describe("OLM v1's recorded verdicts on changes of CRDs", () => {
  it.each(readRows<Row>('crd-upgrade.jsonl'))('$name', (row) => {
    const violations = validateCrdUpgrade(row.old === null ? undefined : crd(row.old), crd(row.new));
    expect(violations).toHaveLength(row.expected.violations.length);
    expect(violations).toEqual(expect.arrayContaining(row.expected.violations.map(comparable)));
  });
});
