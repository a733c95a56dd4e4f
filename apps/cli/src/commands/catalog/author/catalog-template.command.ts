import type { Command } from 'commander';
import type { Catalog } from '#core/catalog/model/catalog';
import type { TemplateType } from '#core/catalog/template/template';
import { readOperand } from '../../../inputs/read-operand.js';
import { unknownFormat } from '../../../output/output-option.js';
import { ExitCode, type Io, UsageError } from '../../../terminal/io.js';
import { MIGRATION_LEVEL_HELP, migrationLevel } from './migration-level.js';

const HELP = `
Types: basic (a catalog whose bundles are images), semver (bundle images by stability; channels are generated from them),
substitutes (a catalog, and bundles that replace others). Without a type the schema of the template decides. Without a file,
or with "-", the command reads standard input. It pulls images that the file of --bundles does not have, with the logins of
this machine. It does not validate the result: use "flotilla catalog validate".

Examples:
  flotilla catalog template semver ./template.yaml -o yaml > ./my-catalog/catalog.yaml
  flotilla catalog template basic ./template.yaml --bundles ./rendered.jsonl
  flotilla catalog template semver ./template.yaml -o mermaid`;

type Options = Readonly<{ output: string; bundles?: string; migrateLevel?: string }>;

/**
 * Registers `flotilla catalog template [TYPE] [FILE]`: the catalog that a template stands for, in the form of
 * `opm alpha render-template`.
 */
export const catalogTemplateCommand = (catalog: Command, io: Io): Command =>
  catalog
    .command('template')
    .description('write the catalog of a template')
    .argument('[type]', 'basic, semver or substitutes')
    .argument('[file]', 'the template, YAML or JSON; "-" reads standard input')
    .option('-o, --output <format>', 'json, yaml or mermaid (the upgrade graph as a drawing)', 'json')
    .option('--bundles <file>', 'JSON lines {image, bundle}: rendered bundles to use instead of pulling these images')
    .option('--migrate-level <name>', `${MIGRATION_LEVEL_HELP} to the rendered images`)
    .addHelpText('after', HELP)
    .action(async (first: string | undefined, second: string | undefined, options: Options) => {
      const write = await writer(options.output, io);
      const level = migrationLevel(options);
      const { type, file } = await operands(first, second);
      const text = await readOperand(file, io);
      const { imagesOf, parseTemplate, renderTemplate } = await import('#core/catalog/template/template');
      const { renderImages } = await import('./catalog-template-images.js');
      const rendered = await inUsersWords(file, async () => {
        const template = parseTemplate(text, type);
        const warn = (line: string) => io.err(`warning: ${line}\n`);
        return renderTemplate(template, await renderImages(imagesOf(template), options.bundles, level, warn));
      });
      io.out(write(rendered));
      io.exit(ExitCode.done);
    });

/** Reads the operands. A single operand is a type if it is the name of one, otherwise a file. */
async function operands(
  first: string | undefined,
  second: string | undefined,
): Promise<{ type?: TemplateType; file: string }> {
  const { TEMPLATE_TYPES } = await import('#core/catalog/template/template');
  const type = TEMPLATE_TYPES.find((one) => one === first);
  if (second === undefined) return type === undefined ? { file: first ?? '-' } : { type, file: '-' };
  if (type !== undefined) return { type, file: second };
  throw new UsageError(`invalid template type "${first}", must be one of: ${TEMPLATE_TYPES.join(', ')}`);
}

async function writer(output: string, io: Io): Promise<(catalog: Catalog) => string> {
  const { catalogToJson, catalogToYaml } = await import('#core/catalog/write/write-catalog');
  if (output === 'json') return catalogToJson;
  if (output === 'yaml') return catalogToYaml;
  if (output !== 'mermaid') throw unknownFormat(output, ['json', 'yaml', 'mermaid']);
  const { mermaidGraph } = await import('#core/catalog/graph/mermaid-graph');
  return (catalog) => {
    const graph = mermaidGraph(catalog, { v0Semantics: true });
    if ('error' in graph) throw new UsageError(`writing output: ${graph.error}`);
    for (const warning of graph.warnings) io.err(`${warning}\n`);
    return graph.text;
  };
}

/** A template that is wrong is bad input; a registry that does not give an image has failed. */
async function inUsersWords<T>(file: string, render: () => Promise<T>): Promise<T> {
  const { TemplateError } = await import('#core/catalog/template/template.error');
  const { PullError } = await import('./catalog-template-images.js');
  try {
    return await render();
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    const message = `${file === '-' ? '' : `${file}: `}${error.message}`;
    throw error.cause instanceof PullError ? new Error(message) : new UsageError(message);
  }
}
