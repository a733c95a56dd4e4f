import type { MigrationLevel } from '#core/catalog/write/render-catalog';
import { UsageError } from '../../../terminal/io.js';

/** Options of the commands that can apply opm's migrations. */
export type MigrationOptions = Readonly<{ migrate?: boolean; migrateLevel?: string }>;

/** The values of `--migrate-level`, for its help. */
export const MIGRATION_LEVEL_HELP = 'apply migrations up to this one: none, bundle-object-to-csv-metadata, all';

/** Returns the requested level, or none if the user gave none. Throws {@link UsageError}. */
export function migrationLevel({ migrate, migrateLevel }: MigrationOptions): MigrationLevel {
  if (migrate && migrateLevel !== undefined) {
    throw new UsageError('give either --migrate or --migrate-level: --migrate is the same as --migrate-level all');
  }
  const wanted = migrate ? 'all' : (migrateLevel ?? 'none');
  if (wanted === 'all') return 'bundle-object-to-csv-metadata';
  if (wanted === 'none' || wanted === 'bundle-object-to-csv-metadata') return wanted;
  throw new UsageError(`unknown migration level "${wanted}"; known are none, bundle-object-to-csv-metadata and all`);
}
