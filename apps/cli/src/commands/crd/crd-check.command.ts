import type { Command } from 'commander';
import { KIND } from '#core/kernel/api/kinds';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { CrdViolation } from '#core/v1/crd-upgrade/validate-crd-upgrade';
import { isData } from '../../output/data-format.js';
import { ANSWER_FORMATS, type AnswerFormat, outputOption } from '../../output/output-option.js';
import { printData } from '../../output/print-data.js';
import { sayYes } from '../../output/say-yes.js';
import { exitCodeOf, verdictOf } from '../../output/verdict.js';
import { type Io, UsageError } from '../../terminal/io.js';

const { kind: CRD_KIND, apiVersion: CRD_API } = KIND.CustomResourceDefinition;
const HELP = `
Exit codes: 0 safe · 1 not safe, one violation a line · 2 bad input.

Examples:
  flotilla crd check old.yaml new.yaml
  flotilla crd check /dev/null new.yaml -o json
  kubectl get crd lamps.shop.example -o yaml | flotilla crd check - new.yaml`;

type Options = Readonly<{ output: AnswerFormat }>;

/** Registers `flotilla crd check OLD NEW`: OLM v1's upgrade safety checks. */
export const crdCheckCommand = (crd: Command, io: Io): Command =>
  crd
    .command('check')
    .description('check if NEW may replace OLD in a cluster, by the upgrade safety checks of OLM v1')
    .argument('<old>', 'file with the CRD of the cluster; "-" reads standard input, /dev/null means no CRD')
    .argument('<new>', 'file with the new CRD')
    .addOption(outputOption('form of the answer', ANSWER_FORMATS))
    .addHelpText('after', HELP)
    .action(async (old: string, next: string, { output }: Options) => {
      const violations = await check(old, next, io);
      const ok = violations.length === 0;
      const verdict = verdictOf(ok);
      if (isData(output)) await printData(io, { verdict, ok, violations }, output);
      else io.out(await asText(violations));
      if (ok && !isData(output)) sayYes(io, `safe: ${next} may replace ${old}`);
      io.exit(exitCodeOf(verdict));
    });

async function check(oldPath: string, newPath: string, io: Io): Promise<CrdViolation[]> {
  const { validateCrdUpgrade } = await import('#core/v1/crd-upgrade/validate-crd-upgrade');
  const { SchemaTooDeep } = await import('#core/v1/crd-upgrade/schema');
  if (oldPath === '-' && newPath === '-')
    throw new UsageError('only one of OLD and NEW can be read from standard input');
  const current = await crdIn(oldPath, io);
  const next = await crdIn(newPath, io);
  if (next === undefined) throw new UsageError(`${newPath}: contains no ${CRD_KIND}; name the file of the new CRD`);
  const [was, is] = [current?.metadata.name ?? next.metadata.name, next.metadata.name];
  if (was !== is)
    throw new UsageError(`${oldPath} defines "${was}", ${newPath} defines "${is}": name two states of one CRD`);
  try {
    return validateCrdUpgrade(current, next);
  } catch (error) {
    if (error instanceof SchemaTooDeep) throw new UsageError(`${oldPath}, ${newPath}: ${error.message}`);
    throw error;
  }
}

/** Returns the one CRD of a file. Returns undefined if the file is empty. */
async function crdIn(path: string, io: Io): Promise<KubernetesObject | undefined> {
  const { readManifests } = await import('../../inputs/read-manifests.js');
  const manifests = await readManifests([path], io.stdin);
  const crds = manifests.filter(({ object }) => object.kind === CRD_KIND);
  const [first, second] = crds;
  if (second !== undefined)
    throw new UsageError(`${path}: contains ${crds.length} ${CRD_KIND}s; check them one by one`);
  if (first === undefined && manifests.length > 0) throw new UsageError(`${path}: contains no ${CRD_KIND}`);
  if (first !== undefined && first.object.apiVersion !== CRD_API) {
    const { OLD_CRD_API, OLD_CRD_TEXT } = await import('#core/catalog/bundle/validate-bundle');
    const why = first.object.apiVersion === OLD_CRD_API ? OLD_CRD_TEXT : `only ${CRD_API} is checked`;
    throw new UsageError(`${first.where}: its API version is ${first.object.apiVersion}; ${why}`);
  }
  return first?.object;
}

async function asText(violations: readonly CrdViolation[]): Promise<string> {
  const { violationText } = await import('#core/v1/crd-upgrade/validate-crd-upgrade');
  return violations.map((violation) => `${violationText(violation)}\n`).join('');
}
