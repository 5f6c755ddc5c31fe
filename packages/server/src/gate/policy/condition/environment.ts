import { Environment } from '@marcbachmann/cel-js';
import { EXPRESSION_LIMITS } from './limits.ts';
import { VARIABLE_TYPES } from './variables.ts';

/**
 * The CEL library parses and type-checks conditions against this environment. It never evaluates them
 * (`compile-expression.ts` does), so this file declares operators only for their types.
 */
export const environment = new Environment({
  limits: EXPRESSION_LIMITS,
  // Lists and maps of JSON hold values of any type, so a literal that is compared with them may too.
  homogeneousAggregateLiterals: false,
});

for (const [name, type] of Object.entries(VARIABLE_TYPES)) environment.registerVariable(name, type);

/** Never called. */
function typed(): never {
  throw new Error('conditions are not evaluated by the library');
}

/**
 * CEL has no arithmetic between int and double, and no equality when both types are known. An author who writes
 * `params.amount * 2 == 10.5` means numbers, and every number of a request is a double.
 */
environment.registerOperator('int == double', typed);
for (const operator of ['+', '-', '*', '/', '%']) {
  environment.registerOperator(`int ${operator} double: double`, typed);
  environment.registerOperator(`double ${operator} int: double`, typed);
}
environment.registerOperator('double % double: double', typed);
