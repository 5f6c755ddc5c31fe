import { Environment } from '@marcbachmann/cel-js';
import { EXPRESSION_LIMITS } from './limits.ts';
import { VARIABLE_TYPES } from './variables.ts';

/**
 * What the CEL library parses and type-checks conditions against. It never evaluates them (`compile-expression.ts`
 * does), so its operators are declared here for their types alone.
 */
export const environment = new Environment({
  limits: EXPRESSION_LIMITS,
  // Lists and maps of JSON hold values of any type; a literal to compare them with must be able to.
  homogeneousAggregateLiterals: false,
});

for (const [name, type] of Object.entries(VARIABLE_TYPES)) environment.registerVariable(name, type);

/** Never called. */
function typed(): never {
  throw new Error('conditions are not evaluated by the library');
}

/**
 * CEL knows no arithmetic between int and double, and no equality where both types are known. An author who writes
 * `params.amount * 2 == 10.5` means numbers, and every number of a request is a double.
 */
environment.registerOperator('int == double', typed);
for (const operator of ['+', '-', '*', '/', '%']) {
  environment.registerOperator(`int ${operator} double: double`, typed);
  environment.registerOperator(`double ${operator} int: double`, typed);
}
environment.registerOperator('double % double: double', typed);
