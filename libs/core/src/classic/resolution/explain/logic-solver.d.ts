/** The part of logic-solver 2.0 used here; it ships no types. MiniSat behind formulas. */
declare module 'logic-solver' {
  /** A variable's name; `-name` is its negation. */
  type Term = string;
  type Formula = Readonly<{ type: string }>;
  type Operand = Term | Formula;

  class Solver {
    require(...formulas: Operand[]): void;
    /** Null when no solution exists. */
    solve(): object | null;
    /** Same as solve, with the formula holding for this call only. */
    solveAssuming(formula: Operand): object | null;
  }

  const Logic: {
    Solver: typeof Solver;
    or(...operands: Operand[]): Formula;
    and(...operands: Operand[]): Formula;
    implies(a: Operand, b: Operand): Formula;
    atMostOne(...operands: Operand[]): Formula;
  };
  export default Logic;
}
