import type { ApiObject } from '../objects/api-object.js';
import type { JsonObject } from '../objects/json.js';
import type { PrinterColumn, TableColumn } from '../resources/resource-info.js';
import { keyOfResource } from '../resources/resource-registry.js';
import type { ObjectPage } from '../store/object-reader.js';
import type { WritePlace } from '../store/object-writer.js';
import { age } from './age.js';
import { builtinColumns } from './builtin-columns.js';
import { jsonPath } from './json-path.js';

const nameColumn: TableColumn = { name: 'Name', type: 'string', cell: ({ metadata }) => metadata.name };

const printed = (column: PrinterColumn): TableColumn => ({
  name: column.name,
  type: column.type,
  ...(column.priority === undefined ? {} : { priority: column.priority }),
  cell: (object) => {
    const found = jsonPath(column.jsonPath, object);
    if (column.type === 'date') return age(found[0]);
    if (column.type === 'string') return found.map(String).join(',');
    return found[0] ?? null;
  },
});

function columnsOf({ info, version }: WritePlace): readonly TableColumn[] {
  if (!info.builtin) return [nameColumn, ...info.printerColumns(version).map(printed)];
  return [nameColumn, ...builtinColumns(keyOfResource(info))];
}

/** The metadata of an object alone, as watchers of metadata and tables want it. */
export const partialMetadata = ({ metadata }: ApiObject): JsonObject => ({
  kind: 'PartialObjectMetadata',
  apiVersion: 'meta.k8s.io/v1',
  metadata,
});

/** Returns the output of `kubectl get`: columns and rows instead of objects. */
export function tableOf(place: WritePlace, page: ObjectPage, include: string | null, withColumns = true): JsonObject {
  const columns = columnsOf(place);
  const shown = (object: ApiObject) => {
    if (include === 'None') return {};
    return { object: include === 'Object' ? object : partialMetadata(object) };
  };
  const definitions = columns.map(({ name, type, priority = 0 }) => ({
    name,
    type,
    format: name === 'Name' ? 'name' : '',
    description: '',
    priority,
  }));
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata: {
      resourceVersion: String(page.revision),
      ...(page.next === undefined ? {} : { continue: page.next }),
      ...(page.remaining === undefined ? {} : { remainingItemCount: page.remaining }),
    },
    columnDefinitions: withColumns ? definitions : null,
    rows: page.objects.map((object) => ({ cells: columns.map(({ cell }) => cell(object)), ...shown(object) })),
  };
}
