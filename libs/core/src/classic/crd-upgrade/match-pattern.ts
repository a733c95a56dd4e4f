import { type PatternNode, parsePattern } from './pattern-syntax.js';

type Instruction =
  | { op: 'char'; test: (char: string) => boolean; next: number }
  | { op: 'split'; next: number; other: number }
  | { op: 'start' | 'end'; next: number }
  | { op: 'match' };

// Bounds the work on untrusted input: a pattern from a bundle, a text from a tenant.
const MAX_INSTRUCTIONS = 5_000;
const MAX_STEPS = 20_000_000;

/**
 * Appends code for `node` that continues at `next`; returns the address to start at. Built from the end
 * backwards.
 */
function emit(program: Instruction[], node: PatternNode, next: number): number {
  if (program.length > MAX_INSTRUCTIONS) return next;
  if (node.kind === 'char') return program.push({ op: 'char', test: node.test, next }) - 1;
  if (node.kind === 'start' || node.kind === 'end') return program.push({ op: node.kind, next }) - 1;
  if (node.kind === 'sequence') return node.parts.reduceRight((after, part) => emit(program, part, after), next);
  if (node.kind === 'choice') {
    const starts = node.parts.map((part) => emit(program, part, next));
    return starts.reduceRight((other, start) => program.push({ op: 'split', next: start, other }) - 1);
  }
  return emitRepeat(program, node, next);
}

function emitRepeat(program: Instruction[], node: Extract<PatternNode, { kind: 'repeat' }>, next: number): number {
  let start = next;
  if (node.max === Number.POSITIVE_INFINITY) {
    const loop = { op: 'split' as const, next: 0, other: next };
    start = program.push(loop) - 1;
    loop.next = emit(program, node.part, start);
  } else {
    for (let optional = node.min; optional < node.max; optional += 1) {
      start = program.push({ op: 'split', next: emit(program, node.part, start), other: next }) - 1;
    }
  }
  for (let count = 0; count < node.min; count += 1) start = emit(program, node.part, start);
  return start;
}

/** Collects the instructions reachable from `from` without reading a character. */
function follow(
  program: readonly Instruction[],
  from: number,
  active: Set<number>,
  atStart: boolean,
  atEnd: boolean,
): void {
  const open = [from];
  while (open.length > 0) {
    const address = open.pop() ?? 0;
    const instruction = program[address];
    if (instruction === undefined || active.has(address)) continue;
    active.add(address);
    if (instruction.op === 'split') open.push(instruction.next, instruction.other);
    if ((instruction.op === 'start' && atStart) || (instruction.op === 'end' && atEnd)) open.push(instruction.next);
  }
}

/**
 * True if the pattern matches somewhere in the text, as in Go. Takes time linear in the text (JavaScript's
 * own matcher can be made to run for years). Undefined if the pattern uses unsupported syntax or would take
 * too much work.
 */
export function matchesPattern(pattern: string, text: string): boolean | undefined {
  const tree = parsePattern(pattern);
  if (tree === undefined) return undefined;
  const program: Instruction[] = [{ op: 'match' }];
  const start = emit(program, tree, 0);
  const chars = [...text];
  if (program.length > MAX_INSTRUCTIONS || program.length * chars.length > MAX_STEPS) return undefined;
  let active = new Set<number>();
  for (let index = 0; index <= chars.length; index += 1) {
    follow(program, start, active, index === 0, index === chars.length);
    if (active.has(0)) return true;
    const after = new Set<number>();
    for (const address of active) {
      const instruction = program[address];
      const char = chars[index];
      if (instruction?.op !== 'char' || char === undefined || !instruction.test(char)) continue;
      follow(program, instruction.next, after, false, index + 1 === chars.length);
    }
    active = after;
  }
  return false;
}
