/** Filters of a metas request. Absent fields match everything. */
export type MetasQuery = Readonly<{ schema?: string; package?: string; name?: string }>;

const PARAMETERS = ['schema', 'package', 'name'] as const;

/**
 * Reads the query of a metas request as Go does. Returns undefined if it has a parameter that metas does not
 * know. Of a repeated parameter the first counts, an empty one counts as absent, and a pair that cannot be
 * decoded is skipped (spec: v1-catalog.md §2).
 */
export function readMetasQuery(query: string): MetasQuery | undefined {
  const first = new Map<string, string>();
  for (const [name, value] of pairsOf(query)) {
    if (!PARAMETERS.some((known) => known === name)) return undefined;
    if (!first.has(name)) first.set(name, value);
  }
  const given = PARAMETERS.flatMap((name) => (first.get(name) ? [[name, first.get(name)]] : []));
  return Object.fromEntries(given);
}

function* pairsOf(query: string): Generator<readonly [string, string]> {
  for (const pair of query.split('&')) {
    if (pair === '' || pair.includes(';')) continue;
    const equals = pair.indexOf('=');
    const name = decoded(equals < 0 ? pair : pair.slice(0, equals));
    const value = decoded(equals < 0 ? '' : pair.slice(equals + 1));
    if (name !== undefined && value !== undefined) yield [name, value];
  }
}

function decoded(text: string): string | undefined {
  const spaced = text.replaceAll('+', ' ');
  if (/%(?![0-9A-Fa-f]{2})/.test(spaced)) return undefined;
  // Bytes that are no UTF-8 match nothing; they are no reason to refuse the request.
  const bytes = spaced.replace(/(?:%[0-9A-Fa-f]{2})+/g, (run) =>
    Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8'),
  );
  return bytes;
}
