import { writtenCsv } from '../../kernel/api/cluster-service-version.js';
import { problemText } from '../../kernel/go-types/decoded.js';
import { writtenTyped } from '../../kernel/go-types/write-typed.js';
import { textAt } from '../../kernel/json/json-access.js';
import { BundleError } from './bundle.error.js';

type Json = Readonly<Record<string, unknown>>;

/**
 * Returns the `olm.csv.metadata` value made from a CSV: the facts that a console shows without the CSV
 * itself. Fields come in opm's order (spec: file-based-catalogs.md §5.1). Throws {@link BundleError} for a
 * CSV that opm cannot read into its type.
 */
export function csvMetadata(csv: Json): Json {
  const read = writtenCsv(csv);
  if (!read.ok) throw unreadable(csv, problemText(read.problems));
  const { metadata, spec } = read.value;
  const metadataOfCsv = {
    ...spec,
    annotations: metadata.annotations,
    apiServiceDefinitions: spec.apiservicedefinitions,
    crdDescriptions: spec.customresourcedefinitions,
    labels: metadata.labels,
  };
  const written = writtenTyped<Json>('property.CSVMetadata', metadataOfCsv);
  if (!written.ok) throw unreadable(csv, problemText(written.problems));
  return written.value;
}

const unreadable = (csv: Json, problem: string): BundleError =>
  new BundleError(`ClusterServiceVersion ${textAt(csv, 'metadata', 'name')}`, problem);
