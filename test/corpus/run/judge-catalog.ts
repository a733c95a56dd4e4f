import type { CatalogDraft } from '../catalogs/catalog-draft.js';
import type { CorpusCase } from '../corpus-case.js';
import { missingContent } from '../oracle/same-content.js';
import { readValue } from '../text/yaml-tree.js';
import type { CommandEnd } from './commands.js';
import { type Finding, finding } from './finding.js';
import { crash } from './judge-commands.js';

/** `catalog render` of a catalog: every blob, or why it cannot be read. Nothing is validated. */
export function judgeCatalogRender(of: CorpusCase, draft: CatalogDraft, end: CommandEnd): Finding[] {
  const at = 'catalog render';
  const found = crash(of, at, end);
  if (found.length > 0) return found;
  const good = of.expected.validate.all.length + of.expected.validate.oneOf.length === 0;
  if (end.exit !== 0) return good ? [finding(of, 'verdict', at, `refused: ${end.err}`)] : [];
  const rendered = jsonValues(end.out);
  return draft.files.flatMap(({ path, blobs }) =>
    blobs.flatMap((blob) => {
      const wanted = good ? readValue(blob) : { schema: readValue(blob['schema']) };
      const differences = rendered.map((one) => missingContent(wanted, one));
      if (differences.includes(undefined) || !good) return [];
      const near = differences.find((text) => !/^(schema|name|package) /.test(text ?? ''));
      return [finding(of, 'objects', at, `a blob of ${path} is not as it is written: ${near ?? 'it is absent'}`)];
    }),
  );
}

/** Values of a stream of JSON. Each begins and ends at the left edge. */
const jsonValues = (text: string): unknown[] =>
  text.split(/^(?=\{$)/m).flatMap((one) => (one === '' ? [] : [JSON.parse(one)]));
