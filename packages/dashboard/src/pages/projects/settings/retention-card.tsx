import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { renew } from '../../../api/query-client.ts';
import { reading } from '../../../api/reading.ts';
import { useForm } from '../../../api/use-form.ts';
import { fieldProblem } from '../../../api/use-submit.ts';
import { toast } from '../../../ui/announce.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { Choice } from '../../../ui/checkbox.tsx';
import { ConfirmDialog } from '../../../ui/form-dialog.tsx';
import { ErrorPanel } from '../../../ui/notice.tsx';
import { TextField } from '../../../ui/text-field.tsx';
import { useProject } from '../project-frame/queries.ts';
import type { Retention } from '../project-frame/wire.ts';
import * as words from './settings.words.ts';

const MOST_DAYS = 36_500;

/** How long personal data is kept. Hashes are kept forever, so that everything can still be verified. */
export function RetentionCard() {
  const { projectId, isAtLeast, path } = useProject();
  const { data, error } = useQuery(
    reading<Retention>(['projects', projectId, 'retention'], path('/retention')),
  );
  return (
    <Card title={words.retention.title} lead={words.retention.lead}>
      <ErrorPanel error={error} />
      {data && (
        <div className="stack">
          <p>
            {data.days === null
              ? words.keptByGate(data.days_in_force)
              : words.keptByProject(data.days_in_force)}
          </p>
          {isAtLeast('owner') && <RetentionForm key={String(data.days)} retention={data} />}
        </div>
      )}
    </Card>
  );
}

type Kept = 'gate' | 'forever' | 'days';

function RetentionForm({ retention }: { retention: Retention }) {
  const { projectId, path } = useProject();
  const { days: current, gate_days: gateDays, days_in_force: activeDays } = retention;
  const [kept, setKept] = useState<Kept>(current === null ? 'gate' : current === 0 ? 'forever' : 'days');
  const [isAsking, setAsking] = useState(false);
  const form = useForm({ days: String(current || 365) }, async () => {
    if (kept === 'days' && !(Number.isInteger(wanted) && newDays >= 1 && newDays <= MOST_DAYS)) {
      throw fieldProblem('days', words.daysInvalid(MOST_DAYS));
    }
    // A longer retention deletes nothing; a shorter one does.
    const isShorter = newDays !== 0 && (activeDays === 0 || newDays < activeDays);
    if (isShorter && !isAsking) setAsking(true);
    else await save().finally(() => setAsking(false));
  });
  const wanted = kept === 'gate' ? null : kept === 'forever' ? 0 : Number(form.draft.days);
  const newDays = wanted ?? gateDays;
  const save = async () => {
    await api.put(path('/retention'), { days: wanted });
    toast(words.retention.saved);
    await renew(['projects', projectId]);
  };
  return (
    <>
      <form className="stack" noValidate onSubmit={form.submit}>
        <Choice
          legend={words.retention.title}
          isLegendUnseen
          name="retention"
          options={[
            { value: 'gate', label: words.gateDefault(gateDays) },
            { value: 'forever', label: words.retention.forever },
            { value: 'days', label: words.retention.custom },
          ]}
          value={kept}
          onChange={setKept}
        />
        {kept === 'days' && (
          <TextField label={words.retention.days} inputMode="numeric" {...form.field('days')} />
        )}
        <ErrorPanel error={form.problem} />
        <div className="button-row">
          <Button type="submit" busy={form.busy} disabled={wanted === current}>
            {words.retention.save}
          </Button>
        </div>
      </form>
      {isAsking && (
        <ConfirmDialog
          title={words.retention.eraseTitle}
          confirmLabel={words.retention.erase}
          change={form.submit}
          onClose={() => setAsking(false)}
        >
          <p>{words.eraseConsequence(newDays)}</p>
        </ConfirmDialog>
      )}
    </>
  );
}
