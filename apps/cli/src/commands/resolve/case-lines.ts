import { z } from 'zod';
import type { CatalogShelf } from '../../resolution/catalog-shelf.js';
import { ClassicCase } from '../../resolution/classic-case.js';
import { answerClassic } from './classic-answer.js';
import { answerV1 } from './v1-answer.js';
import { V1Case } from './v1-case.js';

/** The folders for the catalogs that the cases of one input name. */
export type CaseFolders = Readonly<{ dir: string; ref: string | undefined; shelf: CatalogShelf }>;

/** An answer, or the complaint about a line that holds no case. */
export type LineAnswer = Readonly<{ ok: boolean; value: Readonly<Record<string, unknown>> }>;

/** Characters of one line; a case carries its catalogs, so lines are long. */
const MAX_LINE_LENGTH = 256 * 1024 * 1024;

/** Answers every case of a text in order, one at a time: JSON lines, or a single case over several lines. */
export async function* answers(text: string, folders: CaseFolders): AsyncGenerator<LineAnswer> {
  if (isOneValue(text)) {
    yield await answerLine(text, 1, folders);
    return;
  }
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() !== '') yield await answerLine(line, index + 1, folders);
  }
}

/** A pretty-printed case starts with a line that is no JSON on its own. */
function isOneValue(text: string): boolean {
  const end = text.indexOf('\n');
  return end >= 0 && text.trim() !== '' && !isJson(text.slice(0, end)) && isJson(text);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

async function answerLine(line: string, number: number, folders: CaseFolders): Promise<LineAnswer> {
  try {
    return { ok: true, value: await answerValue(parsedLine(line), folders) };
  } catch (error) {
    return { ok: false, value: { line: number, error: error instanceof Error ? error.message : String(error) } };
  }
}

function parsedLine(line: string): unknown {
  if (line.length > MAX_LINE_LENGTH) throw new Error(`the line is longer than ${MAX_LINE_LENGTH} characters`);
  try {
    return JSON.parse(line);
  } catch (error) {
    throw new Error(`not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** A case of OLM v1: it says so, or asks for an extension and not for the Subscriptions of a namespace. */
const OfV1 = z.union([
  z.looseObject({ api: z.literal('v1') }),
  z.looseObject({ namespace: z.undefined().optional(), spec: z.looseObject({ source: z.looseObject({}) }) }),
]);

async function answerValue(value: unknown, { dir, ref, shelf }: CaseFolders): Promise<Record<string, unknown>> {
  if (OfV1.safeParse(value).success) return answerV1(caseOf(V1Case, value));
  return answerClassic(caseOf(ClassicCase, value), (catalog) => {
    if (catalog.dir !== undefined) return shelf.index(dir, catalog.dir);
    if (catalog.ref === undefined) {
      throw new Error(`catalog ${catalog.namespace}/${catalog.name} has no content: give it fbc, dir or ref`);
    }
    if (ref !== undefined) return shelf.index(ref, catalog.ref);
    throw new Error(
      `catalog ${catalog.namespace}/${catalog.name} is named by ref: name its folder with --catalogs DIR`,
    );
  });
}

function caseOf<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Error(`not a case: ${issue?.path.join('.') || 'the line'}: ${issue?.message ?? 'unreadable'}`);
}
