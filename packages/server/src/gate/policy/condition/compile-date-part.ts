import type { ASTNode } from '@marcbachmann/cel-js';
import { ConditionFailure } from './failure.ts';
import type { ExpressionScope } from './scope.ts';
import { type Compile, refuse, type Step } from './step.ts';
import { compileZone, DATE_PARTS, DURATION_PARTS, type ZoneShift } from './time.ts';
import { Duration, typeName } from './value.ts';

/** Formatting a date in a time zone takes a few microseconds. */
const ZONE_UNITS = 100;

const UTC: ZoneShift = (date) => date;

/**
 * `now.getHours()`, `now.getHours('Europe/Berlin')`, `duration('90m').getMinutes()`. Undefined for any other method.
 */
export function compileDatePart(
  node: ASTNode & { op: 'rcall' },
  scope: ExpressionScope,
  compile: Compile,
): Step | undefined {
  const [method, receiver, [zone]] = node.args;
  const ofDate = DATE_PARTS.get(method);
  if (!ofDate) return undefined;
  const ofDuration = DURATION_PARTS.get(method);
  const step = compile(receiver, scope);
  const shift = zone === undefined ? UTC : zoneOf(zone);
  if (!shift) return refuse(zone ?? node, scope, 'A time zone is a literal such as "Europe/Berlin".');
  return (run) => {
    const value = step(run);
    if (value instanceof Date) {
      if (shift !== UTC) run.charge(ZONE_UNITS);
      return BigInt(ofDate(shift(value)));
    }
    if (value instanceof Duration && ofDuration && shift === UTC) return BigInt(ofDuration(value));
    throw new ConditionFailure(`${method}() does not take ${typeName(value)}`);
  };
}

function zoneOf(node: ASTNode): ZoneShift | undefined {
  return node.op === 'value' && typeof node.args === 'string' ? compileZone(node.args) : undefined;
}
