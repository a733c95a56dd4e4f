import { afterAll, beforeAll, describe } from 'vitest';
import { type BadInputStage, setBadInputStage } from '../story/bad-input-stage.js';
import { describeCatalogSources } from './bad-input-support/catalog-sources.js';
import { describeChangingCatalogs } from './bad-input-support/changing-catalogs.js';
import { describeUninstallable } from './bad-input-support/uninstallable.js';
import { describeUnusableCatalogs } from './bad-input-support/unusable-catalogs.js';

// One hub for all of them: each start of one takes seconds.
describe('a hub with two clusters', () => {
  let stage: BadInputStage;
  beforeAll(async () => {
    stage = await setBadInputStage();
  });
  afterAll(() => stage?.strike());

  describeCatalogSources(() => stage);
  describeChangingCatalogs(() => stage);
  describeUninstallable(() => stage);
  describeUnusableCatalogs(() => stage);
});
