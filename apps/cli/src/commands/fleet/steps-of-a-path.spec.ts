import { afterAll, beforeAll, expect, it } from 'vitest';
import { type PlayedHub, startPlayedHub } from './played-hub.fixture.js';

const PATH = ['kafka-operator.v2.3.1', 'kafka-operator.v2.3.2', 'kafka-operator.v2.4.0'];
const pause = { rollout: 'kafka-1', action: 'Pause', reason: 'CHG-1', by: { user: 'anna', groups: [] } };
let hub: PlayedHub;

beforeAll(async () => {
  hub = await startPlayedHub(['lab-1'], { waves: [] });
  await hub.fleet.cluster('lab-1').offerPath(...PATH);
});
afterAll(() => hub.stop());

it('says at which step of its path a cluster is, and how many there are', async () => {
  const explain = async () => (await hub.flotilla('explain', 'kafka-1', '-C', 'lab-1')).out;
  let running = '';
  let isPaused = false;
  await hub.fleet.settle(async () => {
    const { phase } = await hub.fleet.rollout('kafka-1');
    if (running === '' && phase === 'Progressing') {
      const found = await explain();
      if (found.includes('is being changed')) running = found;
    }
    if (isPaused || (await hub.fleet.cluster('lab-1').installed()) !== PATH[0]) return;
    isPaused = true;
    await hub.fleet.apply('FleetDecision', 'stop', pause);
  });
  expect(running).toMatch(/^lab-1 is being changed to kafka-operator\.v2\.4\.0, step 1 of 3; .* until its deadline/);
  expect(await explain()).toContain(
    'lab-1 waits between two steps: the rollout is paused (RolloutPaused).\n' +
      '  step 1 of 3 is the last step that began there\n',
  );
});
