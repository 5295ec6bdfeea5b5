import { cursor, range, type World, type WorldQuery } from '../world/World.ts';
import { ago, phrase, prose, sentence, slug, titled } from '../world/words.ts';

const kinds = ['Full-time', 'Part-time', 'Contractor', 'Internship'] as const;

/** E10: jobs, ten a page, and filters whose `chips` narrow the search. */
export function jobSearchData(query: WorldQuery, world: World): object {
  const text = String(query['query']);
  const chip = query['chips'] === undefined ? '' : String(world.open('job chips', 'chips', String(query['chips']))[0]);
  const remote = query['ltype'] === '1';
  const within = query['lrad'] === undefined ? undefined : Number(query['lrad']);
  const total = world.random('jobs', text, chip, remote, ...(within === undefined ? [] : [within])).int(3, chip === '' ? 45 : 15);
  const { from, to, next } = cursor(world, 'jobSearch', query, 'next_page_token', total, 10);
  return {
    filters: [{ name: 'Type', options: kinds.map((kind) => ({ text: kind, chips: world.seal('job chips', kind) })) }],
    jobs_results: range(from, to).map((index) => job(world, text, chip, remote, index, within)),
    ...(next === undefined ? {} : { next_page_token: next }),
  };
}

function job(world: World, text: string, chip: string, remote: boolean, index: number, within: number | undefined): object {
  const random = world.random('job', text.toLowerCase(), chip, remote, index);
  const company = `${phrase(random, 1)} ${random.pick(['GmbH', 'Ltd.', '& Sons', 'Inc., LLC', 'الشركة'])}`;
  const kind = chip === '' ? random.pick(kinds) : chip;
  const posted = ago(random.int(0, 40));
  const id = random.key(40);
  return {
    title: `${titled(text)} (${random.pick(['m/f/d', 'senior', 'junior', '50 %'])})`,
    company_name: company,
    location: remote
      ? 'Anywhere'
      : random.pick(within === undefined ? ['Springfield', 'Zürich, Switzerland', 'São Paulo'] : ['Springfield']),
    via: random.pick(['Jobs Today', 'Workboard', '=via']),
    share_link: `https://www.engine.example/jobs?id=${id}`,
    thumbnail: random.chance(0.4) ? '' : `https://images.engine.example/logo/${random.key(10)}`,
    detected_extensions: {
      schedule_type: kind,
      ...(random.chance(0.6) ? { posted_at: posted } : {}),
      ...(remote ? { work_from_home: true } : {}),
    },
    description: range(0, random.int(3, 9)).map(() => (random.chance(0.3) ? `• ${prose(random, 8, 20)}` : sentence(random, 12, 30))).join('\n'), // prettier-ignore
    job_highlights: random
      .some(['Qualifications', 'Responsibilities', 'Benefits'], 0, 3)
      .map((title) => ({ title, items: range(0, random.int(1, 4)).map(() => prose(random, 5, 14)) })),
    apply_options: range(0, random.int(1, 3)).map(() => {
      const title = phrase(random, 1);
      return { title, link: `https://${slug(title)}.example/apply/${random.digits(6)}` };
    }),
    job_id: id,
    extensions: [posted, kind],
  };
}
