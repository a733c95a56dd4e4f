import { afterAll, beforeAll, describe } from 'vitest';
import { type BadInputEnvironment, startBadInputEnvironment } from '../story/bad-input-environment.js';
import { describeCatalogSources } from './bad-input-support/catalog-sources.js';
import { describeChangingCatalogs } from './bad-input-support/changing-catalogs.js';
import { describeUninstallable } from './bad-input-support/uninstallable.js';
import { describeUnusableCatalogs } from './bad-input-support/unusable-catalogs.js';

// One hub for all of them: each start of one takes seconds.
describe('a hub with two clusters', () => {
  let environment: BadInputEnvironment;
  beforeAll(async () => {
    environment = await startBadInputEnvironment();
  });
  afterAll(() => environment?.stop());

  describeCatalogSources(() => environment);
  describeChangingCatalogs(() => environment);
  describeUninstallable(() => environment);
  describeUnusableCatalogs(() => environment);
});
