import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';
import { foldCase, GoTypeError, mismatch } from '../../kernel/json/go-json.js';
import { isRecord } from '../../kernel/json/json-access.js';
import { goQuote } from '../../kernel/versions/go-quote.js';
import { TemplateError, within } from './template.error.js';
import { firstStrictDocument } from './template-document.js';

/** Kinds of release, from the least to the most stable. */
export const ARCHETYPES = ['candidate', 'fast', 'stable'] as const;
export type Archetype = (typeof ARCHETYPES)[number];

/** Kind of a channel: it holds a whole major version or a minor one. */
export type ChannelKind = 'major' | 'minor';

/** Bundles by their stability, the input for generated channels (spec: file-based-catalogs.md §6.2). */
export type SemverTemplate = Readonly<{
  type: 'semver';
  /** Kinds of channels to generate; never empty. */
  kinds: readonly ChannelKind[];
  /** Kind of the default channel if a channel of either kind qualifies. */
  preference: ChannelKind;
  /** Bundle images by archetype, as listed. */
  images: Readonly<Record<Archetype, readonly string[]>>;
}>;

/** Reads a semver template: unknown fields and keys given twice are errors. Throws {@link TemplateError}. */
export const parseSemverTemplate = (text: string): SemverTemplate =>
  within('render: unable to read file: ', () => readSemverTemplate(text));

function readSemverTemplate(text: string): SemverTemplate {
  const document = firstStrictDocument(text);
  try {
    return checked(readTemplate(document));
  } catch (error) {
    if (!(error instanceof GoTypeError)) throw error;
    const advice = error.message.startsWith('json: unknown field') ? FIELDS : '';
    throw new TemplateError(`error unmarshaling JSON: while decoding JSON: ${error.message}`, advice);
  }
}

const FIELDS =
  'fields are schema, generateMajorChannels, generateMinorChannels, defaultChannelTypePreference and ' +
  'candidate, fast, stable with bundles: [{image: <image>}]';

type Written = {
  schema: string;
  major: boolean;
  minor: boolean;
  preference: string;
  images: Record<Archetype, string[]>;
};

function readTemplate(document: unknown): Written {
  const written: Written = {
    schema: '',
    major: false,
    minor: false,
    preference: '',
    images: { candidate: [], fast: [], stable: [] },
  };
  readFields(document, 'SemverTemplateData', {
    schema: (value) => {
      written.schema = readText(value, 'schema');
    },
    generatemajorchannels: (value) => {
      written.major = readFlag(value, 'generateMajorChannels');
    },
    generateminorchannels: (value) => {
      written.minor = readFlag(value, 'generateMinorChannels');
    },
    defaultchanneltypepreference: (value) => {
      written.preference = readText(value, 'defaultChannelTypePreference');
    },
    ...Object.fromEntries(
      ARCHETYPES.map((archetype) => [
        archetype,
        (value: unknown) => {
          written.images[archetype] = readImages(value, archetype);
        },
      ]),
    ),
  });
  return written;
}

type Readers = Readonly<Record<string, (value: unknown) => void>>;

/** Gives each field to its reader. Names match in any case; a field without a reader is an error. */
function readFields(value: unknown, path: string, readers: Readers): void {
  if (value === null) return;
  if (!isRecord(value)) throw mismatch(value, placeOf(path), 'semver template');
  for (const key of Object.keys(value).sort(byCodeUnit)) {
    const name = foldCase(key);
    if (!Object.hasOwn(readers, name)) throw new GoTypeError(`json: unknown field ${goQuote(key)}`);
    readers[name]?.(value[key]);
  }
}

function readImages(value: unknown, archetype: Archetype): string[] {
  let images: string[] = [];
  readFields(value, archetype, {
    bundles: (bundles) => {
      if (bundles !== null && !Array.isArray(bundles)) {
        throw mismatch(bundles, placeOf(`${archetype}.bundles`), '[]semver.bundleEntry');
      }
      images = (bundles ?? []).map((bundle: unknown) => readImage(bundle, `${archetype}.bundles`));
    },
  });
  return images;
}

function readImage(bundle: unknown, path: string): string {
  let image = '';
  readFields(bundle, path, {
    image: (value) => {
      image = readText(value, `${path}.image`);
    },
  });
  return image;
}

/** Reads a text. A YAML number or boolean counts as its text. */
function readText(value: unknown, path: string): string {
  if (value === null) return '';
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw mismatch(value, placeOf(path), 'string');
}

function readFlag(value: unknown, path: string): boolean {
  if (value === null) return false;
  if (typeof value === 'boolean') return value;
  throw mismatch(value, placeOf(path), 'bool');
}

const placeOf = (path: string) => ({ struct: 'SemverTemplateData', path });

function checked({ schema, major, minor, preference, images }: Written): SemverTemplate {
  if (schema !== 'olm.semver') {
    throw new TemplateError('readFile: input file has unknown schema, should be "olm.semver"');
  }
  const kinds: ChannelKind[] = major ? (minor ? ['major', 'minor'] : ['major']) : ['minor'];
  return { type: 'semver', kinds, preference: checkedPreference(preference, kinds), images };
}

function checkedPreference(preference: string, kinds: readonly ChannelKind[]): ChannelKind {
  if (preference === '') return kinds.includes('minor') ? 'minor' : 'major';
  if (preference !== 'major' && preference !== 'minor') {
    throw new TemplateError(
      `unknown DefaultChannelTypePreference: ${goQuote(preference)}\nValid values are 'major' or 'minor'`,
    );
  }
  if (kinds.includes(preference)) return preference;
  const flag = preference === 'major' ? 'generateMajorChannels' : 'generateMinorChannels';
  throw new TemplateError(
    `schema attribute mismatch: DefaultChannelTypePreference set to '${preference}' doesn't make sense if not generating ${preference}-version channels`,
    `set "${flag}: true", or leave defaultChannelTypePreference out`,
  );
}

/** Returns each image once, in the order of the archetypes. */
export const imagesOfSemver = ({ images }: SemverTemplate): string[] => [
  ...new Set(ARCHETYPES.flatMap((archetype) => images[archetype])),
];
