import { findRedis } from '#platform/redis/local/find-redis';
import { startControlPlane } from '#testing/control-plane/find-control-plane';

// Work that takes minutes on a new machine is done once and before any test runs. If something cannot be
// had, the tests that need it say so.
const log = (line: string) => console.log(line);
// The servers started here keep no process alive, so something else has to until they have ended.
const alive = setInterval(() => undefined, 1_000);
for (const prepare of [() => findRedis({ log, preferExisting: false }), () => startControlPlane({ log })]) {
  try {
    await (await prepare()).stop();
  } catch (error) {
    log(error instanceof Error ? error.message : String(error));
  }
}
clearInterval(alive);
