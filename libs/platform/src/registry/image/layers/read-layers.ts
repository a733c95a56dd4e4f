import type { BundleFile } from '#core/catalog/model/bundle-file';
import type { FileSink } from './file-sink.js';
import { memorySink } from './file-sink.js';
import { ImageTree, type TreeFile, treeBounds } from './image-tree.js';
import { Allowance, type IsWanted, readLayer } from './layer-reader.js';
import type { LayersGuard, LayersReader, LayersRequest } from './layers-reader.port.js';
import { UnpackDirectory } from './unpack-directory.js';

/** Rounds of reading layers again for files that wanted links point to. */
const MAX_LINK_ROUNDS = 4;

/** Reads layers in the process of the caller: inside the thread for layers, or if there is no such thread. */
export const layersInProcess: LayersReader = {
  files: async (request, guard) => {
    const found = await readLayers(request, guard, memorySink);
    checkNames(found, request, guard);
    return found.map(({ path, content }): BundleFile => ({ path, bytes: content }));
  },
  unpack: (request, { directory, partial }, guard) => {
    const [folder = ''] = request.folders;
    return new UnpackDirectory(directory, guard.onDisk, partial).fill(
      (sink) => readLayers(request, guard, sink),
      (path) => (folder === '' ? path : path.slice(folder.length + 1)),
    );
  },
};

/** True for paths below one of the folders. */
const isBelow =
  (folders: readonly string[]): IsWanted =>
  (path) =>
    folders.some((folder) => folder === '' || (path.startsWith(folder) && path[folder.length] === '/'));

async function readLayers<C>(
  { layers, folders, what, limits }: LayersRequest,
  { open, refuse, signal }: LayersGuard,
  sink: FileSink<C>,
): Promise<readonly TreeFile<C>[]> {
  const isWanted = isBelow(folders);
  const linked = new Set<string>();
  for (let round = 0; round < MAX_LINK_ROUNDS; round++) {
    const allowance = new Allowance(limits, refuse, signal, what);
    const reading = { wanted: (path: string) => isWanted(path) || linked.has(path), sink, allowance };
    const tree = new ImageTree<C>(refuse, treeBounds(limits.entries));
    for (const [at, layer] of layers.entries()) {
      tree.apply(await open(at, (bytes) => readLayer(bytes, layer, reading)));
    }
    const { files, missing } = tree.files(isWanted);
    if (missing.length === 0) {
      allowance.checkNamed(files);
      return files;
    }
    await sink.clear();
    for (const path of missing) linked.add(path);
  }
  throw refuse('Malformed', 'files of the image link to each other in too many steps');
}

/** Names of files that are held in memory count as their bytes do. */
function checkNames(
  files: readonly TreeFile<unknown>[],
  { what, limits }: LayersRequest,
  { refuse }: LayersGuard,
): void {
  const characters = files.reduce((sum, { path }) => sum + path.length, 0);
  if (characters <= limits.wantedBytes) return;
  throw refuse('TooLarge', `the image has more than ${limits.wantedBytes} characters in the names of ${what}`);
}
