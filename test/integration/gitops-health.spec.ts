import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { type FoundRedis, findRedis } from '#platform/redis/local/find-redis';
import { connectRedis } from '#platform/redis/redis-connection';
import { HEALTH_CASES } from '../rules/gitops-cases.js';

const ConfigMap = z.looseObject({ data: z.record(z.string(), z.string()) });
const text = readFileSync(join(PROJECT_ROOT, 'k8s/gitops/argocd-cm.yaml'), 'utf8');
const { data } = ConfigMap.parse(parse(text));
const Health = z.strictObject({
  status: z.enum(['Healthy', 'Progressing', 'Degraded', 'Suspended']),
  message: z.string(),
});

/** Redis has Lua 5.1, as Argo CD has. Argo CD gives a script no more than the base and tables. */
const runnable = (script: string) => `
  local decode, encode, argument = cjson.decode, cjson.encode, ARGV[1]
  local function health(obj, string, math, redis, cjson, struct, cmsgpack, bit, os)
    ${script}
  end
  return encode(health(decode(argument)))
`;

describe('health for Argo CD, in Lua 5.1', () => {
  let found: FoundRedis;
  let redis: Redis;
  beforeAll(async () => {
    found = await findRedis({ log: (line) => console.log(line), preferExisting: false });
    redis = connectRedis(found.url);
  });
  afterAll(async () => {
    redis.disconnect();
    await found.stop();
  });

  it.each(HEALTH_CASES)('$what: $argo', async ({ object, argo }) => {
    const [group = ''] = object.apiVersion.split('/');
    const script = data[`resource.customizations.health.${group}_${object.kind}`] ?? 'no script';
    const said = await redis.eval(runnable(script), 0, JSON.stringify(object));
    expect(Health.parse(JSON.parse(String(said))).status).toBe(argo);
  });

  it.each(HEALTH_CASES)('without a status, $what: Progressing', async ({ object }) => {
    const { status: _status, ...rest } = object;
    const [group = ''] = object.apiVersion.split('/');
    const script = data[`resource.customizations.health.${group}_${object.kind}`] ?? 'no script';
    const said = await redis.eval(runnable(script), 0, JSON.stringify(rest));
    expect(Health.parse(JSON.parse(String(said))).status).toBe('Progressing');
  });
});
