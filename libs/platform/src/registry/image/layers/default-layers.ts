import { LayerThreads } from './layer-threads.js';
import type { LayersReader } from './layers-reader.port.js';
import { layersInProcess } from './read-layers.js';

/** A thread needs the built module. Unit tests run from sources. */
const isBuilt = !import.meta.url.endsWith('.ts');
const THREAD = new URL('./read-layers.thread.js', import.meta.url);

/** The reader of layers of poller, applier and command: in threads, unless the process runs from sources. */
export const defaultLayers: LayersReader = isBuilt ? new LayerThreads(THREAD) : layersInProcess;
