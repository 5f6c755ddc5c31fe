import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { diffLines, withContext } from './diff-lines.ts';
import { diffPolicies, isEmptyDifference } from './diff-policies.ts';
import type { PolicyDocument, PolicyRule } from './policy-document.ts';

function policy(...rules: PolicyRule[]): PolicyDocument {
  return { name: 'p', default: { approvers: ['role:approver'] }, rules };
}

describe('the difference by rules', () => {
  const a: PolicyRule = { name: 'a', match: { action: 'x' }, effect: 'allow' };
  const b: PolicyRule = { name: 'b', match: { action: 'y' }, effect: 'deny', reason: 'No.' };

  test('lists added, removed and changed rules, and the changed properties', () => {
    const { reason: _, ...silent } = b;
    const difference = diffPolicies(policy(a, b), policy({ ...silent, when: 'true' }, { ...a, name: 'c' }));
    expect(difference).toEqual({
      name: null,
      default: null,
      mayNarrow: null,
      rules: [
        {
          kind: 'changed',
          name: 'b',
          before: b,
          after: { ...silent, when: 'true' },
          properties: ['reason', 'when'],
        },
        { kind: 'added', name: 'c', after: { ...a, name: 'c' } },
        { kind: 'removed', name: 'a', before: a },
      ],
    });
  });

  test('is empty if only the order of rules or properties changed', () => {
    const turned: PolicyRule = { effect: 'allow', match: { action: 'x' }, name: 'a' };
    expect(isEmptyDifference(diffPolicies(policy(a, b), policy(b, turned)))).toBe(true);
  });

  test('shows a changed policy name and a changed default', () => {
    const other = { ...policy(a), name: 'q', default: { approvers: ['finance'], min_approvals: 2 } };
    expect(diffPolicies(policy(a), other)).toEqual({
      name: { before: 'p', after: 'q' },
      default: { before: { approvers: ['role:approver'] }, after: other.default },
      mayNarrow: null,
      rules: [],
    });
  });
});

describe('the difference by lines', () => {
  const text = fc
    .array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 12 })
    .map((lines) => lines.join('\n'));

  test('contains the whole old text and the whole new text', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const lines = diffLines(before, after);
        const without = (kind: string) =>
          lines
            .filter((line) => line.kind !== kind)
            .map((line) => line.text)
            .join('\n');
        expect(without('added')).toBe(before);
        expect(without('removed')).toBe(after);
      }),
    );
  });

  test('is as short as possible', () => {
    expect(diffLines('a\nb\nc\nd', 'a\nc\nx\nd').map(({ kind, text: line }) => `${kind[0]}${line}`)).toEqual([
      'sa',
      'rb',
      'sc',
      'ax',
      'sd',
    ]);
    expect(diffLines('a', 'a')).toEqual([{ kind: 'same', text: 'a' }]);
  });

  test('leaves out long runs of unchanged lines', () => {
    const lines = diffLines('1\n2\n3\n4\n5\n6\n7', '1\n2\n3\nx\n5\n6\n7');
    expect(withContext(lines, 1).map((line) => line?.text ?? null)).toEqual([null, '3', '4', 'x', '5', null]);
    expect(withContext(diffLines('a\nb', 'a\nb'))).toEqual([null]);
  });
});

test('two policies differ if only one of them lets requests name approvers', () => {
  const before = policy();
  const after = { ...before, requester_may_narrow: false };
  expect(diffPolicies(before, after).mayNarrow).toEqual({ before: true, after: false });
  expect(isEmptyDifference(diffPolicies(before, after))).toBe(false);
  expect(isEmptyDifference(diffPolicies(before, { ...before, requester_may_narrow: true }))).toBe(true);
});
