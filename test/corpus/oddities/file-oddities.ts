import { addManifest, annotationsOf, type BundleDraft, mapAt, utf8 } from '../bundles/bundle-draft.js';
import { ACCEPTED, advised, type BundleOddity, unreadable } from './oddity.js';

/** Files that stand in the roots of bundles. */
const BESIDE = [
  ...['LICENSE', 'licenses/LICENSE', 'Dockerfile', 'bundle.Dockerfile', 'README.md', '.git/HEAD', '.git/config'],
  ...['.gitignore', '.github/workflows/ci.yaml', 'tests/scorecard/config.yaml', 'ci.yaml', 'Makefile', 'docs/index.md'],
  ...['release-config.yaml', '.DS_Store', 'root/buildinfo/Dockerfile-bundle', 'help.1', 'manifests-old/csv.yaml'],
];

/** A text that is longer than the pieces of a layer that are read at once. */
const LONG = 'Lorem ipsum dolor sit amet consectetur\n'.repeat(600);

function addBeside(draft: BundleDraft, paths: readonly string[], text: string): void {
  for (const path of paths) draft.beside.push({ path, bytes: utf8(text) });
}

export const FILE_ODDITIES: readonly BundleOddity[] = [
  {
    name: 'files beside the manifests, first',
    weight: 3_400,
    slot: 'beside',
    put: (draft, draws) => {
      const paths = draws.shuffled(BESIDE).slice(0, draws.between(1, 5));
      addBeside(draft, paths, draws.oneOf(['FROM scratch\n', '', LONG]));
      draft.layers.first = draws.shuffled(paths);
      if (draws.next() < 0.5) mapAt(draft.csv.tree, 'spec')['description'] = LONG;
      return ACCEPTED;
    },
  },
  {
    name: 'files beside the manifests, in any order',
    weight: 2_000,
    slot: 'beside',
    put: (draft, draws) => {
      addBeside(draft, draws.shuffled(BESIDE).slice(0, draws.between(1, 8)), 'text\n');
      const all = [...draft.beside, ...draft.manifests, ...draft.metadata].map(({ path }) => path);
      draft.layers.first = draws.shuffled(all);
      return ACCEPTED;
    },
  },
  {
    name: 'hidden files among the manifests',
    weight: 10,
    slot: 'hidden',
    put: (draft, draws) => {
      addBeside(draft, [draws.oneOf(['manifests/.DS_Store', 'manifests/.csv.yaml.swp', 'metadata/.keep'])], 'x: [\n');
      return ACCEPTED;
    },
  },
  {
    name: 'folder among the manifests',
    weight: 6,
    slot: 'folder',
    put: (draft) => {
      addBeside(draft, ['manifests/old/csv.yaml'], 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: never}\n');
      return ACCEPTED;
    },
  },
  {
    name: 'README.md among the manifests',
    weight: 8,
    slot: 'readme',
    put: (draft, draws) => {
      const file = addManifest(draft, 'README', {}, 'skipped');
      file.path = 'manifests/README.md';
      const text = draws.oneOf(['# A bundle\n\nIt has: things\n', 'Just a line\n', '- a list\n- of things\n']);
      file.encode = () => utf8(text);
      return advised([file.path], 'README.md');
    },
  },
  {
    name: 'annotations in a file of another name, beside other metadata',
    weight: 20,
    slot: 'annotations file',
    put: (draft, draws) => {
      const file = annotationsOf(draft);
      file.path = draws.oneOf(['metadata/bundle.yaml', 'metadata/annotations.yml', 'metadata/zz.yaml']);
      draft.beside.push({ path: 'metadata/notes.txt', bytes: utf8('nothing of interest\n') });
      return ACCEPTED;
    },
  },
  {
    name: 'annotations that no program knows, and comments',
    weight: 4_000,
    slot: 'more annotations',
    put: (draft) => {
      const file = draft.metadata.find(({ tree }) => 'annotations' in tree);
      if (file !== undefined) {
        mapAt(file.tree, 'annotations')['com.redhat.openshift.versions'] = 'v4.12-v4.22';
        mapAt(file.tree, 'annotations')['operators.operatorframework.io.metrics.builder'] = 'operator-sdk-v1.34.1';
      }
      return ACCEPTED;
    },
  },
  {
    name: 'media type of another packaging',
    weight: 1,
    slot: 'media type',
    put: (draft, draws) => {
      const type = draws.oneOf(['helm+v1', 'plain+v0', 'registry']);
      const annotations = mapAt(draft.metadata[0]?.tree ?? {}, 'annotations');
      annotations['operators.operatorframework.io.bundle.mediatype.v1'] = type;
      return unreadable([''], type);
    },
  },
  {
    name: 'manifests in a folder of another name',
    weight: 1,
    slot: 'folder of the manifests',
    movesFiles: true,
    put: (draft) => {
      const annotations = mapAt(draft.metadata[0]?.tree ?? {}, 'annotations');
      annotations['operators.operatorframework.io.bundle.manifests.v1'] = 'deploy/';
      // In a directory opm looks for manifests/ alone.
      draft.asked = 'image';
      for (const file of draft.manifests) file.path = file.path.replace('manifests/', 'deploy/');
      draft.layers.first = draft.layers.first.map((path) => path.replace('manifests/', 'deploy/'));
      return ACCEPTED;
    },
  },
];
