/** Given names in the Latin script, which combine with any of the family names. */
export const givenNames: readonly string[] = `
  Ada Amélie Ana André Anneli Beatriz Björn Carlos Chiara Chloé Dilara Diego Elif Emil Erik Esra Fatima Filip Gabriela
  Grace Håkon Hannah Hugo Ibrahim Inês Ivana Jakub Jens João Jonas Juan Kaito Karim Katarína Kwame Lea Liam Linh Lucía
  Mads Maja Malik Marek Mateo Mei Milan Minh Naledi Nadia Nils Noor Oliver Omar Paula Priya Rafael Ravi Renée Rosa
  Samuel Sanna Sofia Tariq Tereza Thabo Tomás Uma Valentina Viktor Wei Yara Yusuf Zoë Zsófia`
  .trim()
  .split(/\s+/)

/** Family names in the Latin script. */
export const familyNames: readonly string[] = `
  Abara Almeida Andersson Bakker Barbosa Becker Bianchi Castillo Chen Costa Demir Dubois Eriksen Farouk Fernández
  Fischer Garcia Goldberg Haddad Hansen Horváth Iversen Jansen Kaya Keller Khumalo Kimura Kovács Kowalski Kumar Lindgren
  Lopes Marchetti Mensah Mohamed Moreau Müller Nakamura Nguyen Novák Nwosu O'Connor Okafor Oliveira Papadaki Pereira
  Petrov Pham Quispe Reyes Rossi Sato Schäfer Sharma Silva Singh Strand Suzuki Tanaka Tremblay Usman Vargas Virtanen
  Weber Yılmaz Zhang Zimmermann`
  .trim()
  .split(/\s+/)

/** Names in other scripts, each with the login it is known by. */
export const namesInOtherScripts: readonly { name: string; login: string }[] = [
  { name: '田中 陽菜', login: 'hina-tanaka' },
  { name: '佐藤 蓮', login: 'ren310' },
  { name: '王小明', login: 'xiaoming-w' },
  { name: '김민준', login: 'minjun-kim' },
  { name: 'Олена Шевчук', login: 'olena-sh' },
  { name: 'Иван Петров', login: 'ivanpetrov' },
  { name: 'Νίκος Παπαδάκης', login: 'nikosp' },
  { name: 'ليلى حداد', login: 'layla-h' },
  { name: 'अनिका शर्मा', login: 'anika-codes' },
  { name: 'סימה לוי', login: 'sima-levi' },
  { name: 'สมชาย ใจดี', login: 'somchai-j' },
  { name: '✨ pixel ✨', login: 'pixel-sparkles' },
]

/** First halves of the names of organizations. */
export const organizationNames: readonly string[] = `
  Northwind Bluefin Paperboat Quietriver Lanternfish Cobaltworks Driftwood Everglen Foxglove Graniteside Halcyon
  Ironwood Juniper Kestrel Lowtide Marigold Nightjar Openfield Pinecone Quartzite Rookery Saltmarsh Tidewater Umbra
  Velvetleaf Wildrye Yarrow Zephyr`
  .trim()
  .split(/\s+/)

/** Second halves of the names of organizations. */
export const organizationKinds: readonly string[] = [
  'Lab',
  'Works',
  'Collective',
  'Systems',
  'Foundation',
  'Games',
]

/** Companies as people write them; `@` is followed by the login of an organization when one is put in. */
export const companies: readonly string[] = [
  '@',
  '@',
  '@',
  '@',
  'Example GmbH',
  'Example Inc.',
  'Exemple & Fils, S.A.',
  'Beispiel AG',
  'Freelance',
  'self-employed',
  'University of Example',
  'Ejemplo S.L.',
  '株式会社サンプル',
]

/** What people write about themselves. */
export const bios: readonly string[] = [
  'Developer.',
  'Full-stack developer, coffee first ☕',
  'Backend engineer. Databases, queues and other slow things made fast.',
  'I break builds so that you need not.',
  'Maintainer of small libraries. Opinions are cached.',
  'Student of computer science',
  'Rust 🦀 | Go | distributed systems',
  'Front-end, accessibility, type systems.',
  'Data person.\nNotebooks in the morning, pipelines in the afternoon.',
  'Learning in public 🌱',
  'Ingeniera de software. Me gustan los compiladores.',
  'Développeur web, cycliste le week-end',
  'オープンソースが好きです。',
  'SRE on call. If I answer slowly, production is well.',
  '"It works on my machine" – and now on yours',
  'Security research, CTFs, old hardware',
  'Hobbyist game developer',
  'Writes <html> by hand & likes it',
  'PhD candidate, graph algorithms',
  'he/him · open to work',
  'she/her · mentoring on Fridays',
  '',
]
