import { api } from '../../../api/client.ts';
import { queryClient } from '../../../api/query-client.ts';
import { useSignedIn } from '../../../api/session.ts';
import { useForm } from '../../../api/use-form.ts';
import { exceptFields } from '../../../api/use-submit.ts';
import { InertText } from '../../../inert-text/inert-text.tsx';
import { toast } from '../../../ui/announce.tsx';
import { ModeBadge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { Checkbox } from '../../../ui/checkbox.tsx';
import { ErrorPanel, Notice } from '../../../ui/notice.tsx';
import { LEAST_RISK } from '../../../ui/risk-choices.ts';
import { Select } from '../../../ui/select.tsx';
import { KindsTable } from './kinds-table.tsx';
import * as words from './notifications.words.ts';
import { type Notifications, notificationsQuery, type Preferences } from './queries.ts';
import { QuietHoursFields } from './quiet-hours-fields.tsx';

export function PreferencesForm({
  preferences,
  mailConfigured,
}: {
  preferences: Preferences;
  mailConfigured: boolean;
}) {
  const form = useForm(preferences, async (wanted) => {
    const saved = await api.put<Preferences>('/console/account/notifications', wanted);
    form.set(saved);
    queryClient.setQueryData<Notifications>(
      notificationsQuery.queryKey,
      (before) => before && { ...before, preferences: saved },
    );
    toast(words.settingsSaved);
  });
  const { channels, quiet_hours: quietHours, muted_projects: muted } = form.draft;
  return (
    <Card title={words.settings}>
      <form className="stack loose" onSubmit={form.submit} noValidate>
        <ErrorPanel error={exceptFields(form.error, 'quiet_hours.time_zone', 'quiet_hours.to')} focus />
        {!mailConfigured && <Notice>{words.noMail}</Notice>}
        <KindsTable channels={channels} onChange={(changed) => form.set({ channels: changed })} />
        <Select label={words.leastRisk} options={LEAST_RISK} {...form.field('minimum_risk_tier')} />
        <QuietHoursFields
          value={quietHours}
          error={form.error}
          onChange={(quiet_hours) => form.set({ quiet_hours })}
        />
        <MutedProjects value={muted} onChange={(muted_projects) => form.set({ muted_projects })} />
        <div className="button-row">
          <Button type="submit" tone="primary" busy={form.busy}>
            {words.saveSettings}
          </Button>
        </div>
      </form>
    </Card>
  );
}

function MutedProjects({
  value,
  onChange,
}: {
  value: readonly string[];
  onChange: (muted: string[]) => void;
}) {
  const { memberships } = useSignedIn();
  if (memberships.length === 0) return null;
  return (
    <fieldset className="stack tight">
      <legend className="field-label">{words.projects}</legend>
      {memberships.map(({ project_id: id, project_name, mode }) => (
        <Checkbox
          key={id}
          label={
            <>
              <InertText text={project_name} /> <ModeBadge mode={mode} />
            </>
          }
          checked={!value.includes(id)}
          onChange={({ target }) =>
            onChange(target.checked ? value.filter((other) => other !== id) : [...value, id])
          }
        />
      ))}
    </fieldset>
  );
}
