import { baseImages, registryImage } from '#testing/docker-engine/base-images';
import { dockerFolder, findEngine } from '#testing/docker-engine/find-engine';

// Work that takes minutes on a new machine is done once, before any test of `make compose-test` runs. If
// something cannot be had, the tests say so.
const search = { environment: process.env, log: (line: string) => console.log(line) };
const engine = await findEngine(search);
if (typeof engine === 'string') {
  console.log(engine);
} else {
  try {
    const images = await baseImages(engine, dockerFolder(process.env), search);
    console.log(typeof images === 'string' ? images : `${engine.describe}; ${images.describe}`);
    if (typeof images !== 'string') await registryImage(engine, dockerFolder(process.env), search);
  } finally {
    await engine.stop();
  }
}
process.exit();
