import { afterAll, beforeAll, describe, it } from 'vitest';
import { type BadInputEnvironment, startBadInputEnvironment } from '../story/bad-input-environment.js';
import { describeCatalogSources } from './bad-input-support/catalog-sources.js';
import { describeChangingCatalogs } from './bad-input-support/changing-catalogs.js';
import { describeUninstallable } from './bad-input-support/uninstallable.js';
import { describeUnusableCatalogs } from './bad-input-support/unusable-catalogs.js';
import { expectEnoughRights, withUsersOf } from './redis-support/redis-users.js';
import { type ShippedRedis, startShippedRedis } from './redis-support/shipped-redis.js';

// One hub for all of them: each start of one takes seconds.
describe('a hub with two clusters and the users of Redis that are shipped', () => {
  let redis: ShippedRedis;
  let environment: BadInputEnvironment;
  beforeAll(async () => {
    redis = await startShippedRedis({ prefix: 'fleet' });
    environment = await startBadInputEnvironment(withUsersOf(redis, 'fleet'));
  });
  afterAll(async () => {
    await environment?.stop();
    await redis?.stop();
  });

  describeCatalogSources(() => environment);
  describeChangingCatalogs(() => environment);
  describeUninstallable(() => environment);
  describeUnusableCatalogs(() => environment);

  it('needs no right in Redis that a service lacks', () => expectEnoughRights(environment.environment));
});
