import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadAll } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { PROJECT_ROOT } from '#platform/files/project-root';

const Secret = z.looseObject({ secretName: z.string() });
const Pod = z.looseObject({
  automountServiceAccountToken: z.boolean(),
  securityContext: z.looseObject({ runAsNonRoot: z.boolean() }),
  containers: z.array(z.looseObject({ securityContext: z.looseObject({}) })),
  volumes: z.array(z.looseObject({ name: z.string(), secret: Secret.optional() })),
});
const Ports = z.array(z.looseObject({ port: z.union([z.string(), z.number()]) }));
const Objects = z.array(z.looseObject({ kind: z.string(), spec: z.unknown().optional() }));

const text = readFileSync(join(PROJECT_ROOT, 'k8s/components/console/console.yaml'), 'utf8');
const objects = Objects.parse(loadAll(text));
const specOf = (kind: string): unknown => objects.find((one) => one.kind === kind)?.spec;

describe('a console in a cluster that was taken over', () => {
  const pod = Pod.parse(Object(specOf('Deployment')).template.spec);

  it('has no token of its cluster, and no secret but its own two', () => {
    expect(pod.automountServiceAccountToken).toBe(false);
    expect(objects.find(({ kind }) => kind === 'ServiceAccount')).toMatchObject({
      automountServiceAccountToken: false,
    });
    const secrets = pod.volumes.flatMap(({ secret }) => secret?.secretName ?? []);
    expect(secrets).toEqual(['redis-passwords', 'console']);
    expect(objects.map(({ kind }) => kind).filter((kind) => /Role/.test(kind))).toEqual([]);
  });

  it('is no root, gets no further rights, and cannot change its programs', () => {
    expect(pod.securityContext.runAsNonRoot).toBe(true);
    for (const { securityContext } of pod.containers)
      expect(securityContext).toMatchObject({
        ...{ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
      });
  });

  it('reaches Redis, names and HTTPS, and is reached from namespaces that are labelled for it', () => {
    const policy = Object(specOf('NetworkPolicy'));
    expect(policy.policyTypes).toEqual(['Ingress', 'Egress']);
    const ports = (rules: readonly { ports?: unknown }[]) =>
      rules.flatMap((rule) => Ports.parse(rule.ports).map(({ port }) => port));
    expect(new Set(ports(policy.egress))).toEqual(new Set([6379, 53, 5353, 443]));
    const pages = policy.ingress.filter((rule: { ports?: unknown }) => ports([rule]).includes('pages'));
    const labelled = [{ namespaceSelector: { matchLabels: { 'flotilla.dev/opens-console': 'true' } } }];
    expect(pages.map(({ from }: { from: unknown }) => from)).toEqual([labelled]);
  });
});
