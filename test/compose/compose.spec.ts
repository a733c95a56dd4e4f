import { afterAll, describe } from 'vitest';
import { needing } from '#testing/report/needs';
import { type ComposeFixture, startComposeFixture } from './compose-fixture.js';
import { describeImage } from './describe-image.js';
import { describeStack } from './describe-stack.js';

// An engine is started at once: whether the tests can run is known only then.
const started = await startComposeFixture();
const needs = needing({ isThere: typeof started !== 'string', what: `a Docker engine (${String(started)})` });
if (typeof started === 'string') console.log(`not run: ${started}`);

const fixture = (): ComposeFixture => {
  if (typeof started === 'string') throw new Error(started);
  return started;
};
afterAll(async () => {
  if (typeof started !== 'string') await started.stop();
});

describe('the image', needs, () => describeImage(fixture));
describe('docker-compose.yml in a Docker engine', needs, () => describeStack(fixture));
