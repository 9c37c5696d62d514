<?php
// Makes `database.sql` and `people.json` with Laravel and Fortify themselves. The README of this folder says how to run it.

[, $fortify, $google2fa, $out] = $argv;

require_once 'Illuminate/autoload.php';
require_once 'ParagonIE/ConstantTime/autoload.php';

spl_autoload_register(function (string $class) use ($fortify, $google2fa): void {
    foreach (['Laravel\\Fortify\\' => "$fortify/src", 'PragmaRX\\Google2FA\\' => "$google2fa/src"] as $prefix => $folder) {
        if (str_starts_with($class, $prefix)) {
            require_once $folder . '/' . str_replace('\\', '/', substr($class, strlen($prefix))) . '.php';
        }
    }
});

use Illuminate\Config\Repository as Config;
use Illuminate\Container\Container;
use Illuminate\Database\Capsule\Manager as Capsule;
use Illuminate\Database\Eloquent\Model;
use Illuminate\Database\Schema\Blueprint;
use Illuminate\Encryption\Encrypter;
use Illuminate\Events\Dispatcher;
use Illuminate\Hashing\HashManager;
use Illuminate\Support\Carbon;
use Illuminate\Support\Facades\Facade;
use Illuminate\Support\Facades\Hash;
use Illuminate\Support\Facades\Schema;
use Illuminate\Support\Str;
use Laravel\Fortify\Actions\ConfirmTwoFactorAuthentication;
use Laravel\Fortify\Actions\EnableTwoFactorAuthentication;
use Laravel\Fortify\TwoFactorAuthenticatable;
use Laravel\Fortify\TwoFactorAuthenticationProvider;
use PragmaRX\Google2FA\Google2FA;

/** The time of the one-time codes in `people.json`, in Unix seconds. */
const CODES_AT = 1_800_000_000;

/** A `.env` has the keys in this form. */
function app_key(): string
{
    return 'base64:' . base64_encode(Encrypter::generateKey('AES-256-CBC'));
}

$keys = ['current' => app_key(), 'previous' => app_key()];
$encrypter = fn (string $key, string $cipher): Encrypter => new Encrypter(base64_decode(Str::after($key, 'base64:')), $cipher);

// What the framework's start would set up.
$app = new Container();
Container::setInstance($app);
Facade::setFacadeApplication($app);
$app->instance('config', new Config(['hashing' => ['driver' => 'bcrypt', 'bcrypt' => ['rounds' => 10]]]));
$app->instance('events', $events = new Dispatcher($app));
$app->instance('hash', new HashManager($app));
$capsule = new Capsule($app);
$capsule->addConnection(['driver' => 'sqlite', 'database' => ':memory:', 'prefix' => '']);
$capsule->setAsGlobal();
$capsule->setEventDispatcher($events);
$capsule->bootEloquent();
$app->instance('db', $capsule->getDatabaseManager());
$app->bind('db.schema', fn () => $capsule->getConnection()->getSchemaBuilder());

// The tables of a new Laravel application, and what Fortify adds.
Schema::create('users', function (Blueprint $table) {
    $table->id();
    $table->string('name');
    $table->string('email')->unique();
    $table->timestamp('email_verified_at')->nullable();
    $table->string('password');
    $table->rememberToken();
    $table->timestamps();
});
Schema::create('password_resets', function (Blueprint $table) {
    $table->string('email')->index();
    $table->string('token');
    $table->timestamp('created_at')->nullable();
});
(require "$fortify/database/migrations/2014_10_12_200000_add_two_factor_columns_to_users_table.php")->up();

class User extends Model
{
    use TwoFactorAuthenticatable;

    protected $guarded = [];
    protected $casts = ['email_verified_at' => 'datetime'];
}

$engine = new Google2FA();
$provider = new TwoFactorAuthenticationProvider($engine);
$people = [];

/** @param ?string $cipher whether the second factor is set up, and how its fields are encrypted */
$person = function (string $name, string $email, bool $verified, ?string $key = null, string $cipher = 'AES-256-CBC', bool $confirms = true)
    use ($app, $engine, $provider, $encrypter, &$people): void {
    $password = Str::random(14);
    $user = User::create([
        'name' => $name,
        'email' => $email,
        'password' => Hash::make($password),
        'email_verified_at' => $verified ? Carbon::now() : null,
        'remember_token' => Str::random(60),
    ]);
    $factor = [];
    if ($key !== null) {
        $app->instance('encrypter', $encrypter($key, $cipher));
        (new EnableTwoFactorAuthentication($provider))($user);
        $secret = decrypt($user->two_factor_secret);
        if ($confirms) {
            (new ConfirmTwoFactorAuthentication($provider))($user, $engine->getCurrentOtp($secret));
        }
        $code = $engine->oathTotp($secret, intdiv(CODES_AT, $engine->getKeyRegeneration()));
        $factor = ['code' => $code, 'recovery_codes' => $user->recoveryCodes(), 'is_confirmed' => $confirms];
    }
    $people[] = ['email' => $email, 'password' => $password] + $factor;
};

$person('Ada', 'ada@example.com', true);
$person('Grace', 'Grace@Example.com', true, $keys['current']);
$person('Linus', 'linus@example.com', false, $keys['previous']);
$person('Barbara', 'barbara@example.com', true, $keys['current'], 'AES-256-GCM');
$person('Pending', 'pending@example.com', true, $keys['current'], 'AES-256-CBC', false);
$capsule->table('password_resets')->insert(['email' => 'ada@example.com', 'token' => Hash::make(Str::random(64)), 'created_at' => Carbon::now()]);

// The database as SQL.
$sql = "-- Written by generate.php.\n";
$pdo = $capsule->getConnection()->getPdo();
foreach ($pdo->query("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY rowid") as $object) {
    $sql .= $object['sql'] . ";\n";
}
foreach (['users', 'password_resets'] as $table) {
    foreach ($capsule->table($table)->get() as $row) {
        $row = (array) $row;
        $values = array_map(fn ($value) => $value === null ? 'NULL' : (is_int($value) ? $value : $pdo->quote($value)), $row);
        $sql .= "INSERT INTO $table (" . implode(', ', array_keys($row)) . ') VALUES (' . implode(', ', $values) . ");\n";
    }
}
file_put_contents("$out/database.sql", $sql);
file_put_contents("$out/people.json", json_encode(['keys' => $keys, 'codes_at' => CODES_AT, 'people' => $people], JSON_PRETTY_PRINT | JSON_UNESCAPED_SLASHES) . "\n");
