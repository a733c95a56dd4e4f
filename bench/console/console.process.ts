import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { ALL_RIGHTS } from '#core/view/rights/rights';
import { SystemClock } from '#platform/clock/system-clock';
import { readSettings } from '#platform/config/settings';
import { boundGarbage } from '#platform/processes/service-memory';
import { connectRedis } from '#platform/redis/redis-connection';
import { silentLog } from '#platform/telemetry/log.port';
import { RedisViewReader } from '#platform/view/redis-view-reader';
import { ConsoleService } from '../../apps/console/src/console.service.js';
import type { SignIn } from '../../apps/console/src/sign-in/sign-in.js';

// The console as its service runs it, with many people signed in: the bearer `person-N` is one of them.
// Environment: BENCH_REDIS_URL, BENCH_PREFIX. It sends its link to its parent, and ends with it.

boundGarbage();
const people: SignIn = {
  personOf: async ({ authorization = '' }) => {
    const session = /^Bearer (person-\d{1,4})$/.exec(authorization)?.[1];
    if (session === undefined) return undefined;
    return { name: session, groups: [], by: 'loopback', rights: ALL_RIGHTS, session, csrf: '' };
  },
};
const redis = connectRedis(process.env['BENCH_REDIS_URL'] ?? '');
const settings = readSettings({
  FLOTILLA_CONSOLE_PORT: '0',
  FLOTILLA_CONSOLE_KEY_FILE: join(mkdtempSync(join(tmpdir(), 'flotilla-bench-')), 'console-key'),
});
const service = await ConsoleService.open({
  ...{ settings, clock: new SystemClock(), log: silentLog, registry: new Registry() },
  reader: new RedisViewReader(redis, process.env['BENCH_PREFIX'] ?? ''),
  signIns: [people],
});
service.follow();
process.on('disconnect', () => process.exit(0));
process.send?.({ origin: service.origin, link: service.link });
