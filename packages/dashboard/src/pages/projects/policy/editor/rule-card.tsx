import { InertText } from '../../../../inert-text/inert-text.tsx';
import { Button, IconButton } from '../../../../ui/button.tsx';
import { explainRule } from '../document/explain-rule.ts';
import type { LocatedFinding } from '../document/locate-findings.ts';
import type { PolicyDocument, PolicyRule } from '../document/policy-document.ts';
import * as words from './editor.words.ts';
import { EffectBadge } from './effect-badge.tsx';
import { FindingsList } from './findings-list.tsx';
import { Sentence } from './sentence.tsx';

/** One rule, read-only, with the gate's findings about it. */
export function RuleCard({
  rule,
  fallback,
  findings,
  isEditable,
  onShow,
  onEdit,
  onRemove,
  onJump,
}: {
  rule: PolicyRule;
  fallback: PolicyDocument['default'];
  findings: readonly LocatedFinding[];
  isEditable: boolean;
  /** Jumps to the rule in the text. */
  onShow: () => void;
  onEdit: () => void;
  onRemove: () => void;
  onJump: (finding: LocatedFinding) => void;
}) {
  return (
    <li className="policy-rule" data-effect={rule.effect}>
      <div className="policy-rule-head">
        <h3>
          <InertText text={rule.name || words.unnamed} />
        </h3>
        <EffectBadge effect={rule.effect} />
      </div>
      <Sentence parts={explainRule(rule, fallback)} />
      <FindingsList findings={findings} onJump={onJump} />
      <div className="button-row">
        {isEditable && (
          <Button size="s" onClick={onEdit}>
            {words.edit}
          </Button>
        )}
        <Button size="s" tone="quiet" onClick={onShow}>
          {words.showInJson}
        </Button>
        {isEditable && (
          <IconButton size="s" icon="trash" label={words.removeRule(rule.name)} onClick={onRemove} />
        )}
      </div>
    </li>
  );
}
