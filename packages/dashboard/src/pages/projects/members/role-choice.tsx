import { type Role, reaches } from '../../../api/session.ts';
import { Checkbox } from '../../../ui/checkbox.tsx';

/** From the least to the most; each may do what those before it may. */
const ROLES: readonly { role: Role; label: string; may: string }[] = [
  { role: 'viewer', label: 'Viewer', may: 'Sees requests, people, policy and the audit log.' },
  { role: 'approver', label: 'Approver', may: 'Also decides requests, where policy asks for them.' },
  {
    role: 'admin',
    label: 'Admin',
    may: 'Also manages agents, keys, members, groups and policy, and can stop the project.',
  },
  {
    role: 'owner',
    label: 'Owner',
    may: 'Also makes owners, erases texts about people, and makes other projects.',
  },
];

/** The roles one may give: none above one's own. */
export function RoleChoice({
  own,
  value,
  onChange,
}: {
  own: Role | undefined;
  value: Role;
  onChange: (role: Role) => void;
}) {
  return (
    <fieldset className="stack tight">
      <legend className="field-label">Role</legend>
      {ROLES.filter(({ role }) => reaches(own, role)).map(({ role, label, may }) => (
        <Checkbox
          key={role}
          kind="radio"
          name="role"
          label={label}
          hint={may}
          checked={value === role}
          onChange={() => onChange(role)}
        />
      ))}
    </fieldset>
  );
}
