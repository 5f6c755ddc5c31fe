import { expect, test } from 'vitest';
import { matchesName, parseNamePatterns } from './name-pattern.ts';
import { RuleIndex } from './rule-index.ts';

function patternsOf(value: string | string[]) {
  const parsed = parseNamePatterns(value);
  if ('problem' in parsed) throw new Error(parsed.problem);
  return parsed.patterns;
}

test.each([
  ['deploy', 'deploy', true],
  ['deploy', 'deploy_web', false],
  ['deploy_*', 'deploy_web', true],
  ['deploy_*', 'deploy_', true],
  ['deploy_*', 'deploy', false],
  ['*', 'anything', true],
  ['payments.refund | payments.payout', 'payments.payout', true],
  ['payments.refund | payments.payout', 'payments', false],
])('the pattern %s on the name %s gives %s', (pattern, name, matches) => {
  expect(matchesName(patternsOf(pattern), name)).toBe(matches);
});

test('only the pattern * matches a missing name', () => {
  expect(matchesName(patternsOf('*'), null)).toBe(true);
  expect(matchesName(patternsOf('a*|b'), null)).toBe(false);
});

test.each(['*.drop', 'a**', 'a|', '|', ' ', 'a*b'])('the pattern "%s" is refused', (pattern) => {
  expect(parseNamePatterns(pattern)).toHaveProperty('problem');
});

test('only the widest of overlapping alternatives is kept, so that a rule is found once', () => {
  expect(patternsOf('db.drop | db.* | db.drop* | db.*')).toEqual([{ kind: 'prefix', prefix: 'db.' }]);
  const index = new RuleIndex([{ rule: 'one', actions: patternsOf(['db.drop', 'db.*', '*']) }]);
  expect(index.candidates('db.drop')).toEqual(['one']);
});

test('the index finds the same rules as a scan', () => {
  const texts = ['a', 'a*', 'ab*', 'abc', 'b|c*', '*', 'abcd*|x', 'constructor'];
  const index = new RuleIndex(texts.map((text) => ({ rule: text, actions: patternsOf(text) })));
  for (const action of ['a', 'ab', 'abc', 'abcd', 'b', 'c', 'cc', 'x', 'constructor', '__proto__', '']) {
    const scanned = texts.filter((text) => matchesName(patternsOf(text), action));
    expect(index.candidates(action).toSorted()).toEqual(scanned.toSorted());
  }
});
