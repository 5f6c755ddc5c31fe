import type { ASTNode } from '@marcbachmann/cel-js';
import { PROOF_TIERS, RISK_TIERS, SOURCE_TYPES } from '@permitry/protocol';
import type { VariableName } from './variables.ts';

export interface ExpressionProblem {
  /** Offset into the expression. */
  at: number;
  message: string;
}

/** Variables that only ever hold one of a fixed set of words. */
const WORDS: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ['risk_tier', RISK_TIERS],
  ['proof_tier', PROOF_TIERS],
  ['source_type', SOURCE_TYPES],
]);

/** Collects what the compilation of an expression finds, with positions. */
export class ExpressionScope {
  readonly problems: ExpressionProblem[] = [];
  readonly reads = new Set<VariableName>();
  /** The loop variable of the macro whose body is being compiled. */
  boundName: string | null = null;

  report(node: ASTNode, message: string): void {
    this.problems.push({ at: node.start, message });
  }

  /** Compiles the body of a macro that walks a list. */
  binding<T>(name: string, compile: () => T): T {
    this.boundName = name;
    try {
      return compile();
    } finally {
      this.boundName = null;
    }
  }

  /** Refuses comparisons of tiers that would silently have another meaning: `'critical' < 'high'` as texts. */
  checkTiers(node: ASTNode & { args: [ASTNode, ASTNode] }): void {
    for (const [side, other] of [node.args, node.args.toReversed()] as [ASTNode, ASTNode][]) {
      const words = side.op === 'id' && side.args !== this.boundName ? WORDS.get(side.args) : undefined;
      if (!words || side.op !== 'id') continue;
      if (node.op === '<' || node.op === '<=' || node.op === '>' || node.op === '>=') {
        const example = words.slice(-2).map((word) => `'${word}'`);
        this.report(
          node,
          `${side.args} has no order here; list its values: ${side.args} in [${example.join(', ')}].`,
        );
      }
      for (const literal of other.op === 'list' ? other.args : [other]) {
        if (literal.op === 'value' && typeof literal.args === 'string' && !words.includes(literal.args)) {
          this.report(literal, `${side.args} is never '${literal.args}'; it is one of ${words.join(', ')}.`);
        }
      }
    }
  }
}
